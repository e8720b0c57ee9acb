// The window with the rules in short, all cards, a picture of each phase, and the keys.

import { read } from "./api.js";
import { button, element, findAll } from "./dom.js";
import { form } from "./layout.js";
import { showPicture } from "./picture.js";
import { word } from "./words.js";

const KEYS = ["key_actions", "key_pass", "key_hint", "key_arrows", "key_rules"];

/** The button for the window. @param {() => void} open */
export function rulesButton(open) {
  return button(element("span", {}, word("rules_button")), open, { class: "quiet help", id: "rules", title: "?" });
}

/** Open the window; `path` is where the server has the rules of this game with its options.
 * @template {"rules/{name}" | "lessons/{game}/rules" | "exercises/{topic}/rules"} Path
 * @param {Path} path @param {import("./api.js").Asked<Path>} asked @param {string} language */
export async function showRules(path, asked, language) {
  if (document.querySelector("dialog.rules")) return;
  const content = element("div", {}, element("p", {}, word("loading")));
  const close = element("button", { class: "close", "aria-label": word("close") }, "×");
  const dialog = element("dialog",
    { class: "rules", "aria-label": word("rules_button"), onclose: () => dialog.remove() },
    element("form", { method: "dialog" }, close), content);
  document.body.append(dialog);
  dialog.showModal();
  try {
    await show(content, await read(path, { ...asked, query: { language, form: form() } }));
  } catch (error) {
    content.replaceChildren(element("p", { role: "alert" }, error.message));
  }
}

/** @param {HTMLElement} content @param {Server.Rules} found */
async function show(content, found) {
  const legend = element("ul", { class: "signs" });
  const examples = found.examples.map(example);
  const parts = [...sections(found.lines, found.cards), element("h2", {}, word("signs")), legend,
    element("h2", {}, word("keys")), element("ul", {}, ...KEYS.map((key) => element("li", {}, word(key)))),
    element("h2", {}, word("examples")), ...examples.map(({ figure }) => figure)];
  content.replaceChildren(contents(parts.filter((part) => part.tagName === "H2")), ...parts);
  await Promise.all(examples.map(({ drawn }) => drawn));
  legend.replaceChildren(...signsIn(content));
}

/** Buttons that go to the headings. @param {HTMLElement[]} headings */
function contents(headings) {
  return element("p", { class: "contents" }, ...headings.map((heading) =>
    button(heading.textContent, () => heading.scrollIntoView({ block: "start" }), { class: "quiet" })));
}

/** Every sign in the pictures, once, with what it says. @param {HTMLElement} content */
function signsIn(content) {
  /** @type {Map<string, any>} */
  const signs = new Map();
  for (const sign of findAll(content, "figure [data-tip]:not([data-card])")) {
    const said = sign.dataset.tip ?? "";
    if (!said.includes(":") && !signs.has(said)) signs.set(said, sign);
  }
  const [mask] = findAll(content, 'figure [data-part^="gap:"] [data-card]'); // a counterfeit card that somebody knows
  if (mask) signs.set(mask.dataset.tip?.split("\n").at(-1) ?? "", mask);
  return [...signs].map(([said, sign]) => element("li", {}, pictureOf(sign), element("span", {}, said)));
}

/** A sign without the numbers and words beside its drawing. @param {any} sign */
function pictureOf(sign) {
  const beside = sign.querySelector("path") ? [...sign.querySelectorAll("text")] : [];
  for (const text of beside) text.style.display = "none";
  const { x, y, width, height } = sign.getBBox();
  const own = svgOf(`${x - 1} ${y - 1} ${width + 2} ${height + 2}`);
  own.append(...[...sign.childNodes].map((node) => node.cloneNode(true)));
  for (const text of beside) text.style.display = "";
  for (const text of beside.length ? own.querySelectorAll("text") : []) text.remove();
  return own;
}

/** @param {string} box */
function svgOf(box) {
  const own = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  for (const [name, value] of Object.entries({ viewBox: box, "aria-hidden": "true", "fill-rule": "evenodd" })) {
    own.setAttribute(name, value);
  }
  return own;
}

/** Lines of text as headings and lists: a list item begins with a dash. The last ones are about `cards`, in order.
 * @param {string[]} lines @param {string[]} cards */
function sections(lines, cards) {
  /** @type {HTMLElement[]} */
  const made = [];
  for (const line of lines.filter(Boolean)) {
    if (!line.startsWith("- ")) made.push(element("h2", {}, line));
    else {
      if (made.at(-1)?.tagName !== "UL") made.push(element("ul"));
      made.at(-1)?.append(element("li", {}, line.slice(2)));
    }
  }
  const about = made.flatMap((part) => [...part.querySelectorAll("li")]).slice(-cards.length || Infinity);
  cards.forEach((card, index) => {
    const own = svgOf("0 0 36 44");
    own.innerHTML = card;
    about[index].prepend(own);
    about[index].classList.add("card");
  });
  return made;
}

/** @param {[string, string]} example */
function example([headline, packed]) {
  const picture = element("div", { class: "picture" });
  const figure = element("figure", {}, element("figcaption", {}, headline), picture);
  return { figure, drawn: showPicture(picture, packed) };
}
