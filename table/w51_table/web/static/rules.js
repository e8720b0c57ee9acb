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
    const legend = element("ul", { class: "signs" });
    const examples = found.examples.map(example);
    const parts = [...sections(found.lines, found.cards), element("h2", {}, word("signs")), legend, element("h2", {}, word("keys")),
      element("ul", {}, ...KEYS.map((key) => element("li", {}, word(key)))), element("h2", {}, word("examples")),
      ...examples.map(({ figure }) => figure)];
    content.replaceChildren(contents(parts.filter((part) => part.tagName === "H2")), ...parts);
    await Promise.all(examples.map(({ drawn }) => drawn));
    legend.replaceChildren(...signsIn(content));
  } catch (error) {
    content.replaceChildren(element("p", { role: "alert" }, error.message));
  }
}

/** Buttons that go to the headings. */
function contents(headings) {
  return element("p", { class: "contents" }, ...headings.map((heading) => element("button", { type: "button", class: "quiet",
    onclick: () => heading.scrollIntoView({ block: "start" }) }, heading.textContent)));
}

/** Every sign in the pictures, once, with what it says. */
function signsIn(content) {
  const signs = new Map();
  for (const sign of content.querySelectorAll("figure [data-tip]:not([data-card])")) {
    const said = sign.dataset.tip;
    if (!said.includes(":") && !signs.has(said)) signs.set(said, sign);
  }
  const mask = content.querySelector('figure [data-part^="gap:"] [data-card]'); // a counterfeit card that somebody knows
  if (mask) signs.set(mask.dataset.tip.split("\n").at(-1), mask);
  return [...signs].map(([said, sign]) => element("li", {}, pictureOf(sign), element("span", {}, said)));
}

/** A sign without the numbers and words beside its drawing. */
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

function svgOf(box) {
  const own = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  for (const [name, value] of [["viewBox", box], ["aria-hidden", "true"], ["fill-rule", "evenodd"]]) own.setAttribute(name, value);
  return own;
}

/** Lines of text as headings and lists: a list item begins with a dash. The last ones are about `cards`, in their order. */
function sections(lines, cards) {
  const made = [];
  for (const line of lines.filter(Boolean)) {
    if (!line.startsWith("- ")) made.push(element("h2", {}, line));
    else {
      if (made.at(-1)?.tagName !== "UL") made.push(element("ul"));
      made.at(-1).append(element("li", {}, line.slice(2)));
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

function example([headline, packed]) {
  const picture = element("div", { class: "picture" });
  return { figure: element("figure", {}, element("figcaption", {}, headline), picture), drawn: showPicture(picture, packed) };
}
