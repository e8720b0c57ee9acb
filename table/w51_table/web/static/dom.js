// Elements of the page.

import { form } from "./layout.js";
import { languageOf, word } from "./words.js";

/** @typedef {Node | string | null} Child */
/** @typedef {(event: any) => unknown} Handler */
/**
 * Attributes of an element, and what handles its events.
 * @typedef {{[name: string]: any, onclick?: Handler, oninput?: Handler, onchange?: Handler, onsubmit?: Handler,
 *   onkeydown?: Handler, ontoggle?: Handler}} Attributes
 */

/**
 * An element: `element("button", {class: "x", onclick: f}, "text", child)`.
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Attributes} attributes
 * @param {...Child} children
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (typeof value === "boolean") made.toggleAttribute(name, value);
    else if (value !== null && value !== undefined) made.setAttribute(name, value);
  }
  made.append(...children.filter((child) => child !== null));
  return made;
}

/** A button. @param {Child} content @param {Handler} act @param {Attributes} attributes */
export function button(content, act, attributes = {}) {
  return element("button", { type: "button", ...attributes, onclick: act }, content);
}

/** The first part of a place that a selector finds; an error if there is none. @param {ParentNode} place
 * @param {string} selector @returns {HTMLElement} */
export function find(place, selector) {
  const found = place.querySelector(selector);
  if (!found) throw new Error(`the page has no ${selector}`);
  return /** @type {HTMLElement} */ (found);
}

/** All parts of a place that a selector finds. @param {ParentNode} place @param {string} selector
 * @returns {HTMLElement[]} */
export const findAll = (place, selector) => /** @type {HTMLElement[]} */ ([...place.querySelectorAll(selector)]);

/** A control with a label. @typedef {HTMLLabelElement & {control: HTMLInputElement | HTMLSelectElement}} Labelled */

/** @param {string} text @param {HTMLElement} control */
export function labelled(text, control) {
  return /** @type {Labelled} */ (element("label", { class: "field" }, element("span", {}, text), control));
}

/** A check box with its label. @param {string} text @param {Attributes} attributes */
export function checkBox(text, attributes) {
  return element("label", { class: "check" }, element("input", { type: "checkbox", ...attributes }), " ", text);
}

/**
 * @param {[string, string][]} options values with their texts
 * @param {string | null} chosen
 * @param {(value: string) => void} onchange
 * @param {Record<string, any>} attributes
 */
export function select(options, chosen, onchange, attributes = {}) {
  const items = options.map(([value, text]) => element("option", { value, selected: value === chosen }, text));
  return element("select", { ...attributes, onchange: (event) => onchange(event.target.value) }, ...items);
}

/** Say what is wrong, along the bottom. @param {string} text */
export function report(text) {
  find(document, "#alert").textContent = text;
}

/** The title of the page: what it shows now, and the game. @param {string} text @param {string} game */
export function setTitle(text, game = word("home")) {
  const title = `${text.charAt(0).toLocaleUpperCase(languageOf())}${text.slice(1)} – ${game}`;
  if (document.title !== title) document.title = title;
}

/** Show, in place of a table or a replay, why there is none. @param {HTMLElement} main @param {string} text */
export function showNothing(main, text) {
  setTitle(text);
  main.replaceChildren(element("section", { class: "panel nothing", role: "alert" }, element("h1", {}, text),
    element("p", {}, element("a", { class: "button", href: "#/" }, word("new_table")))));
}

/** The address of the page without what follows `#`: that of a proxy, perhaps with a path. */
export function pageAddress() {
  return location.origin + location.pathname.replace(/\/[^/]*$/, "");
}

/** A button that copies a link. @param {string} link @param {string} label @param {string | number} id */
export function copyButton(link, label, id) {
  return button(label, async (event) => {
    try {
      await navigator.clipboard.writeText(link);
      event.target.textContent = word("copied");
    } catch {
      prompt(label, link);
    }
  }, { class: "quiet", "data-copy": id, title: link });
}

const LONGEST = 7; // letters of a name in a narrow column

/** A name at the head of a column: initials stand for a long one where there is little room, as on a phone.
 * @param {string} name */
export function columnName(name, isTight = form() === "narrow") {
  if (!isTight || name.length <= LONGEST) return element("span", {}, name);
  const parts = name.split(/[\s-]+/).filter(Boolean);
  const initials = parts.map((part) => [...part][0]).join("");
  return element("abbr", { title: name }, parts.length > 1 ? initials : `${[...name].slice(0, LONGEST - 2).join("")}.`);
}

export const ICONS = { // shapes in a square of 24
  play: "M7 4v16l13-8z", pause: "M6 4h4v16H6zM14 4h4v16h-4z", forward: "M8 4v16l11-8z", back: "M16 4v16L5 12z",
  lot_next: "M4 5v14l8-7zM12 5v14l8-7z", lot_before: "M20 5v14l-8-7zM12 5v14l-8-7z",
  last: "M5 4v16l11-8zM17 4h3v16h-3z", first: "M19 4v16L8 12zM4 4h3v16H4z",
};

/** A sign on a button. @param {keyof typeof ICONS} name */
export function icon(name) {
  const made = element("span", { "aria-hidden": "true" });
  const path = `<path fill="currentColor" d="${ICONS[name]}"/>`;
  made.innerHTML = `<svg viewBox="0 0 24 24" width="20" height="20">${path}</svg>`;
  return find(made, "svg");
}

let keyboard = false; // the last thing that was done

/** Whether the visitor uses the keyboard: then the focus is kept where it was, and shown. */
export const byKeyboard = () => keyboard;

/** Notice the keyboard; what is typed into a number field takes the place of its number, but for a second click. */
export function watchInput() {
  /** @type {EventTarget | null} */
  let entered = null;
  document.addEventListener("keydown", () => { keyboard = true; }, { capture: true });
  document.addEventListener("pointerdown", () => { keyboard = false; }, { capture: true });
  document.addEventListener("focusin", ({ target }) => {
    entered = target;
    if (isNumber(target)) target.select();
  });
  document.addEventListener("click", ({ target }) => {
    if (target === entered && isNumber(target)) target.select();
    entered = null;
  });
}

/** @param {EventTarget | null} target @returns {target is HTMLInputElement} */
const isNumber = (target) => target instanceof HTMLInputElement && target.type === "number";
