// The words of the page's language, and numbers as it writes them.

/** @type {Record<string, string>} */
let words = {};
let language = "en";

/** @param {Record<string, string>} found @param {string} code */
export function setWords(found, code) {
  words = found;
  language = code;
}

/** The code of the language. */
export const languageOf = () => language;

/**
 * The text of a key with its {placeholders} filled in.
 * @param {string} key
 * @param {Record<string, any>} values
 */
export function word(key, values = {}) {
  return fill(words[key] ?? key, values);
}

/** `Deal of the day: Warehouse 51`, with the colon of the language. @param {string} title @param {string} text */
export const titled = (title, text) => word("titled", { title, text });

/** Whether there is a text of a key. @param {string} key */
export const has = (key) => key in words;

/**
 * A text with its {placeholders} filled in.
 * @param {string} text
 * @param {Record<string, any>} values
 * @returns {string}
 */
export function fill(text, values = {}) {
  return text.replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole);
}

/** A number in the language. @param {number} value @param {Intl.NumberFormatOptions} [options] */
export const said = (value, options) => value.toLocaleString(language, options);

/** Names as a sentence lists them: `Ann, Ben and Cem`. @param {string[]} names */
export const listed = (names) => new Intl.ListFormat(language === "en" ? "en-GB" : language).format(names);

/** A number from 0 to 1 as percent. @param {number} chance */
export const percent = (chance, digits = 0) => said(chance, { style: "percent", maximumFractionDigits: digits });

/** The page's name of an agent. @param {string} name */
export function agentName(name) {
  const key = `agent_${name.replace(/\W/g, "_")}`;
  return has(key) ? word(key) : name;
}

/** A pace in words. @param {number | null} pace seconds; null: paused */
export function paceName(pace) {
  if (pace === null) return word("pace_paused");
  return pace === 0 ? word("pace_at_once") : word("pace_seconds", { seconds: said(pace) });
}
