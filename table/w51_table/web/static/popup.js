// What a part of the picture says, beside it: as a tip, or as a window with controls.

import { button, byKeyboard, element, find } from "./dom.js";
import { aboutOf } from "./motion.js";
import { word } from "./words.js";

/** @type {{panel: HTMLElement, back: HTMLElement} | null} */
let open = null; // the window, and the part that it belongs to

export const isPanelOpen = () => open !== null;

/** Show what a part says: under the pointer, after a long press, and with the focus of the keyboard.
 * @param {HTMLElement} card */
export function showTip(card) {
  hideTip();
  const [title, ...lines] = aboutOf(card).split("\n");
  const tip = element("div", { class: "panel card-tip", role: "tooltip", "aria-hidden": "true" },
    element("h2", {}, title), ...lines.map((line) => element("p", {}, line)));
  document.body.append(tip);
  place(tip, card.getBoundingClientRect());
}

export function hideTip() {
  document.querySelector(".card-tip")?.remove();
}

/** A window beside a part of the picture: what its card says, and controls; it closes with Escape or a click outside.
 * @param {HTMLElement} part @param {string} text @param {HTMLElement[]} controls */
export function showPanel(part, text, controls) {
  closePanel();
  hideTip();
  const [title, ...lines] = text ? text.split("\n") : [word("your_actions")];
  const panel = element("div", { class: "panel popup", role: "dialog", "aria-label": title, tabindex: -1 },
    element("h2", {}, title), ...lines.map((line) => element("p", {}, line)), ...controls,
    button("×", () => closePanel(true), { class: "close", "aria-label": word("close") }));
  document.body.append(panel);
  place(panel, part.getBoundingClientRect());
  open = { panel, back: part };
  const first = byKeyboard() ? find(panel, "input, button") : panel; // a tap opens no keyboard
  (first.matches(".close") ? panel : first).focus({ preventScroll: true });
}

/** @param {HTMLElement} panel @param {DOMRect} beside */
function place(panel, beside) {
  const { width, height } = panel.getBoundingClientRect();
  const left = beside.right + 8 + width < innerWidth ? beside.right + 8 : beside.left - 8 - width;
  const top = Math.min(Math.max(8, beside.top), innerHeight - height - 8);
  panel.style.left = `${scrollX + Math.max(8, Math.min(left, innerWidth - width - 8))}px`;
  panel.style.top = `${scrollY + Math.max(8, top)}px`;
}

export function closePanel(goBack = false) {
  hideTip();
  if (!open) return;
  const { panel, back } = open;
  open = null;
  if (goBack && back.isConnected) back.focus({ preventScroll: true });
  panel.remove();
}

/** Close the window with Escape or a click outside. */
export function watchPanel() {
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    hideTip();
    closePanel(true);
  });
  document.addEventListener("pointerdown", ({ target }) => {
    if (target instanceof Element && !target.closest(".popup, .picture")) closePanel();
  });
}
