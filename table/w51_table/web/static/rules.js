// The window with the rules in short, all cards, a picture of each phase, and the keys.

import { element, form, request, word } from "./dom.js";
import { showPicture } from "./picture.js";

const KEYS = ["key_actions", "key_pass", "key_hint", "key_arrows", "key_rules"];

/** The button for the window. */
export function rulesButton(open) {
  return element("button", { type: "button", class: "quiet help", id: "rules", title: "?", onclick: open }, element("span", {}, word("rules_button")));
}

/** Open the window; `path` is where the server has the rules of this game with its options. */
export async function showRules(path, language) {
  if (document.querySelector("dialog.rules")) return;
  const content = element("div", {}, element("p", {}, word("loading")));
  const dialog = element("dialog", { class: "rules", "aria-label": word("rules_button"), onclose: () => dialog.remove() },
    element("form", { method: "dialog" }, element("button", { class: "close", "aria-label": word("close") }, "×")), content);
  document.body.append(dialog);
  dialog.showModal();
  try {
    const found = await request(`${path}?language=${language}&form=${form()}`);
    const parts = [...sections(found.lines), element("h2", {}, word("keys")),
      element("ul", {}, ...KEYS.map((key) => element("li", {}, word(key)))), element("h2", {}, word("examples")),
      ...found.examples.map(example)];
    content.replaceChildren(contents(parts.filter((part) => part.tagName === "H2")), ...parts);
  } catch (error) {
    content.replaceChildren(element("p", { role: "alert" }, error.message));
  }
}

/** Buttons that go to the headings. */
function contents(headings) {
  return element("p", { class: "contents" }, ...headings.map((heading) => element("button", { type: "button", class: "quiet",
    onclick: () => heading.scrollIntoView({ block: "start" }) }, heading.textContent)));
}

/** Lines of text as headings and lists: a list item begins with a dash. */
function sections(lines) {
  const made = [];
  for (const line of lines.filter(Boolean)) {
    if (!line.startsWith("- ")) made.push(element("h2", {}, line));
    else {
      if (made.at(-1)?.tagName !== "UL") made.push(element("ul"));
      made.at(-1).append(element("li", {}, line.slice(2)));
    }
  }
  return made;
}

function example([headline, packed]) {
  const picture = element("div", { class: "picture" });
  showPicture(picture, packed);
  return element("figure", {}, element("figcaption", {}, headline), picture);
}
