// The house's rules for JavaScript: what tsc does not find. Names and types are tsc's.
import js from "@eslint/js";
import globals from "globals";

const PAGES = ["advice", "form", "invite", "lesson", "replay", "table"]; // which app.js alone imports

export default [
  js.configs.recommended,
  {
    languageOptions: { ecmaVersion: 2024, sourceType: "module" },
    linterOptions: { reportUnusedDisableDirectives: "error" },
    rules: {
      "max-lines-per-function": ["error", { max: 60 }],
      "max-lines": ["error", { max: 300 }],
      "max-len": ["error", { code: 120, ignoreUrls: true }],
      "max-params": ["error", 7],
      "no-unused-vars": ["error", { args: "all", argsIgnorePattern: "^_" }],
      "no-var": "error",
      "prefer-const": "error",
      eqeqeq: "error",
      "no-shadow": "error",
      "no-undef": "error",
    },
  },
  {
    files: ["table/w51_table/**/*.js", "lab/**/*.js"],
    languageOptions: { globals: globals.browser },
    rules: {
      "no-restricted-imports": ["error", {
        patterns: [{ regex: `^\\./(${PAGES.join("|")})\\.js$`, message: "No module imports from a page." }],
      }],
    },
  },
  { files: ["table/w51_table/web/static/app.js"], rules: { "no-restricted-imports": "off" } },
  { files: ["tests/**/*.mjs", "table/*.js"], languageOptions: { globals: globals.node } },
];
