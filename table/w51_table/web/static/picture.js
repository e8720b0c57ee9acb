// The picture as an interface: cards that show what they are, and areas that stand for actions.

import { byKeyboard, element, word } from "./dom.js";
import { aboutOf, move, positions } from "./motion.js";

const HOVER = 350; // milliseconds under the pointer, or under a finger, until a part says what it is
const PRESS = 500;
/** The kind of an action that ends a phase: its part of the picture does not glow, and a tap asks first. */
export const DECLINE = "decline";
const shown = new WeakMap(); // for each place the picture that was wanted last

/**
 * Unpack a picture that the server drew, and put it into an element; true if it is there now. With `place.rest`, another
 * element, what a phone need not show first goes there.
 */
export async function showPicture(place, packed) {
  if (shown.get(place) === packed) return false;
  shown.set(place, packed);
  const mine = place.wanted = (place.wanted ?? 0) + 1;
  if (!packed) { // it was too long to be sent
    place.drawn = mine;
    place.replaceChildren();
    return true;
  }
  const svg = await unpacked(packed);
  if (mine < (place.drawn ?? 0)) return false; // a later one is there already
  place.drawn = mine;
  const before = positions(partsOf(place));
  const focused = keyOf(partsOf(place).some((part) => part.contains(document.activeElement)) ? document.activeElement : null);
  place.innerHTML = svg;
  fold(place);
  prepare(place, focused);
  move(before, partsOf(place));
  return true;
}

/** The SVG of a packed picture. */
export function unpacked(packed) {
  const bytes = Uint8Array.from(atob(packed), (letter) => letter.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"))).text();
}

const keyOf = (part) => part?.dataset?.part ?? part?.dataset?.tip;
const partsOf = (place) => [place, place.rest].filter(Boolean);
const all = (place, selector) => partsOf(place).flatMap((part) => [...part.querySelectorAll(selector)]);
const buttons = (place) => all(place, "[data-card], [data-part].open").filter((button) => button.getClientRects().length);

/** Move the blocks below the fold of a picture into `place.rest`. */
function fold(place) {
  const svg = place.querySelector("svg");
  const at = Number(svg.dataset.fold);
  if (!place.rest) return;
  if (!at) {
    place.rest.replaceChildren();
    return;
  }
  const { x, y, width, height } = svg.viewBox.baseVal;
  const below = svg.cloneNode(false);
  const resize = (part, top, size) => {
    part.setAttribute("viewBox", `${x} ${top} ${width} ${size}`);
    part.setAttribute("height", size);
  };
  resize(below, at, y + height - at);
  resize(svg, y, at - y);
  const [ground, ...blocks] = [...svg.children].filter((part) => part.tagName !== "style");
  const style = svg.querySelector("style");
  below.append(...(style ? [style.cloneNode(true)] : []), ground.cloneNode(true), ...blocks.filter((block) => block.transform.baseVal[0].matrix.f >= at));
  place.rest.replaceChildren(below);
}

/** Cards and open areas become buttons; one of them can be reached with Tab, the others with the arrow keys. */
function prepare(place, focused) {
  for (const svg of all(place, "svg")) svg.setAttribute("role", "group");
  for (const title of all(place, "g > title")) { // shown at once, and by touch and keyboard, too
    const part = title.parentElement;
    part.dataset.tip = title.textContent;
    title.remove();
    if (part.querySelector("[data-part]")) continue; // what is inside has a name of its own
    part.setAttribute("role", "img");
    part.setAttribute("aria-label", part.dataset.tip.replaceAll("\n", ", "));
  }
  for (const card of all(place, "[data-card]")) {
    card.setAttribute("role", "button");
    card.setAttribute("tabindex", -1);
  }
  rove(place, buttons(place).find((part) => keyOf(part) === focused), focused !== undefined && focused !== null);
}

function rove(place, wanted, focus = false) {
  const parts = buttons(place);
  const chosen = wanted ?? parts[0];
  for (const part of parts) part.setAttribute("tabindex", part === chosen ? 0 : -1);
  if (focus && byKeyboard()) chosen?.focus({ preventScroll: true });
}

/** Mark the areas that stand for actions of `groups`, as the server groups them. */
export function openAreas(place, groups) {
  const open = new Map();
  for (const group of groups) {
    const part = group.part ?? "lot";
    open.set(part, [...(open.get(part) ?? []), group]);
  }
  for (const area of all(place, "[data-part]")) {
    const own = open.get(area.dataset.part);
    area.classList.toggle("open", own !== undefined);
    area.classList.toggle("quiet", own?.every(({ kind }) => kind === DECLINE) ?? false);
    if (area.dataset.card !== undefined) continue;
    if (own) {
      area.setAttribute("role", "button");
      area.setAttribute("aria-label", own.map((group) => group.text ?? word("amount")).join(", "));
    } else for (const name of ["role", "aria-label", "tabindex"]) area.removeAttribute(name);
  }
  rove(place, all(place, "[tabindex='0']").find((part) => part.getClientRects().length));
}

/** Call `act(part, text)` for a part that is clicked, tapped, or chosen by a key; `text` is what its card says. */
export function onPart(place, act) {
  const chosen = (event) => {
    const part = event.target.closest?.("[data-card], [data-part].open");
    if (part) act(part, part.dataset.card === undefined ? "" : aboutOf(part));
    return part;
  };
  let timer = 0;
  let isPressed = false; // a long press is no click
  const tipLater = (event, milliseconds) => {
    clearTimeout(timer);
    const part = event.target.closest?.("[data-tip]");
    if (part && !document.querySelector(".popup")) timer = setTimeout(() => {
      isPressed = event.type === "pointerdown";
      showTip(part);
    }, milliseconds);
  };
  const onPointer = (event) => {
    const isMouse = event.pointerType === "mouse";
    if (event.type === "pointerover" && isMouse) tipLater(event, HOVER);
    else if (event.type === "pointerdown" && !isMouse) tipLater(event, PRESS);
    else {
      clearTimeout(timer);
      if (isMouse || !isPressed) hideTip();
    }
  };
  const onClick = (event) => {
    const wasPressed = isPressed;
    isPressed = false;
    clearTimeout(timer);
    if (wasPressed) return;
    hideTip();
    const part = event.target.closest?.("[data-tip]");
    if (!chosen(event) && part && !byKeyboard()) showTip(part);
  };
  const onKey = (event) => {
    const steps = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };
    if (event.key === "Enter" || event.key === " ") {
      if (!chosen(event)) return;
    } else if (event.key in steps) {
      const parts = buttons(place);
      const now = parts.indexOf(event.target.closest("[tabindex]"));
      rove(place, parts[(now + steps[event.key] + parts.length) % parts.length], true);
    } else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const onFocus = (event) => {
    const card = event.target.closest("[data-card]");
    if (card?.matches(":focus-visible") && !document.querySelector(".popup")) showTip(card);
  };
  for (const part of partsOf(place)) {
    part.addEventListener("focusin", onFocus);
    part.addEventListener("focusout", hideTip);
    part.addEventListener("click", onClick);
    for (const kind of ["pointerover", "pointerout", "pointerdown", "pointerup", "pointercancel"]) part.addEventListener(kind, onPointer);
    part.addEventListener("keydown", onKey);
  }
}

/** What a part says, beside it: under the pointer, after a long press, and with the focus of the keyboard. */
function showTip(card) {
  hideTip();
  const [title, ...lines] = aboutOf(card).split("\n");
  const tip = element("div", { class: "panel card-tip", role: "tooltip", "aria-hidden": "true" }, element("h2", {}, title),
    ...lines.map((line) => element("p", {}, line)));
  document.body.append(tip);
  place(tip, card.getBoundingClientRect());
}

function hideTip() {
  document.querySelector(".card-tip")?.remove();
}

/** A window beside a part of the picture: what its card says, and controls; it closes with Escape or a click outside. */
export function showPanel(part, text, controls) {
  closePanel();
  hideTip();
  const [title, ...lines] = text ? text.split("\n") : [word("your_actions")];
  const panel = element("div", { class: "panel popup", role: "dialog", "aria-label": title, tabindex: -1 },
    element("h2", {}, title), ...lines.map((line) => element("p", {}, line)), ...controls,
    element("button", { type: "button", class: "close", "aria-label": word("close"), onclick: () => closePanel(true) }, "×"));
  document.body.append(panel);
  place(panel, part.getBoundingClientRect());
  panel.back = part;
  const first = byKeyboard() ? panel.querySelector("input, button:not(.close)") : null; // a tap opens no keyboard
  (first ?? panel).focus({ preventScroll: true });
}

function place(panel, beside) {
  const { width, height } = panel.getBoundingClientRect();
  const left = beside.right + 8 + width < innerWidth ? beside.right + 8 : beside.left - 8 - width;
  const top = Math.min(Math.max(8, beside.top), innerHeight - height - 8);
  panel.style.left = `${scrollX + Math.max(8, Math.min(left, innerWidth - width - 8))}px`;
  panel.style.top = `${scrollY + Math.max(8, top)}px`;
}

export function closePanel(goBack = false) {
  const panel = document.querySelector(".popup");
  hideTip();
  if (!panel) return;
  if (goBack && panel.back.isConnected) panel.back.focus({ preventScroll: true });
  panel.remove();
}

document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  hideTip();
  closePanel(true);
});
document.addEventListener("pointerdown", (event) => {
  if (!event.target.closest(".popup, .picture")) closePanel();
});
