// The picture as an interface: cards that show what they are, and areas that stand for actions.

import { byKeyboard, find, findAll } from "./dom.js";
import { aboutOf, move, positions } from "./motion.js";
import { hideTip, isPanelOpen, showTip } from "./popup.js";
import { word } from "./words.js";

const HOVER = 350; // milliseconds under the pointer, or under a finger, until a part says what it is
const PRESS = 500;
/** @type {Record<string, number>} */
const ARROWS = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };
const BUTTONS = "[data-card], [data-part].open";
/** The kind of an action that ends a phase: its part of the picture does not glow, and a tap asks first. */
export const DECLINE = "decline";

/**
 * The place of a picture. What a phone need not show first is in `rest`; `wanted` and `drawn` are numbers of pictures.
 * @typedef {HTMLElement & {rest?: HTMLElement, wanted?: number, drawn?: number}} Picture
 */

/** @type {WeakMap<Picture, string>} */
const shown = new WeakMap(); // for each place the picture that was wanted last

/** Unpack a picture that the server drew, and put it into its place; true if it is there now. @param {Picture} place
 * @param {string} packed */
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
  const focused = document.activeElement;
  const kept = partsOf(place).some((part) => part.contains(focused)) ? keyOf(focused) : undefined;
  place.innerHTML = svg;
  fold(place);
  prepare(place, kept);
  move(before, partsOf(place));
  return true;
}

/** The SVG of a packed picture. @param {string} packed */
export function unpacked(packed) {
  const bytes = Uint8Array.from(atob(packed), (letter) => letter.charCodeAt(0));
  const { writable, readable } = new DecompressionStream("deflate"); // a third of the time that a Blob takes
  const writer = writable.getWriter();
  writer.write(bytes);
  writer.close();
  return new Response(readable).text();
}

/** The picture, and what is below its fold. @param {Picture} place @returns {HTMLElement[]} */
export const partsOf = (place) => (place.rest ? [place, place.rest] : [place]);

/** @param {any} part @returns {string | undefined} */
const keyOf = (part) => part?.dataset?.part ?? part?.dataset?.tip;
/** @param {Picture} place @param {string} selector */
const all = (place, selector) => partsOf(place).flatMap((part) => findAll(part, selector));
/** @param {Picture} place */
const buttonsOf = (place) => all(place, BUTTONS).filter((button) => button.getClientRects().length);

/** Move the blocks below the fold of a picture into `place.rest`. @param {Picture} place */
function fold(place) {
  const svg = /** @type {SVGSVGElement} */ (/** @type {unknown} */ (find(place, "svg")));
  const at = Number(svg.dataset.fold);
  if (!place.rest) return;
  if (!at) {
    place.rest.replaceChildren();
    return;
  }
  const { x, y, width, height } = svg.viewBox.baseVal;
  const below = /** @type {SVGSVGElement} */ (svg.cloneNode(false));
  const resize = (/** @type {SVGElement} */ part, /** @type {number} */ top, /** @type {number} */ size) => {
    part.setAttribute("viewBox", `${x} ${top} ${width} ${size}`);
    part.setAttribute("height", String(size));
  };
  resize(below, at, y + height - at);
  resize(svg, y, at - y);
  const parts = /** @type {SVGGraphicsElement[]} */ ([...svg.children].filter((part) => part.tagName !== "style"));
  const [ground, ...blocks] = parts;
  const style = svg.querySelector("style");
  below.append(...(style ? [style.cloneNode(true)] : []), ground.cloneNode(true),
    ...blocks.filter((block) => block.transform.baseVal[0].matrix.f >= at));
  place.rest.replaceChildren(below);
}

/** Cards and open areas become buttons; one of them can be reached with Tab, the others with the arrow keys.
 * @param {Picture} place @param {string | undefined} focused */
function prepare(place, focused) {
  for (const svg of all(place, "svg")) svg.setAttribute("role", "group");
  for (const title of all(place, "g > title")) { // shown at once, and by touch and keyboard, too
    const part = title.parentElement;
    const text = title.textContent ?? "";
    title.remove();
    if (!part) continue;
    part.dataset.tip = text;
    if (part.querySelector("[data-part]")) continue; // what is inside has a name of its own
    part.setAttribute("role", "img");
    part.setAttribute("aria-label", text.replaceAll("\n", ", "));
  }
  for (const card of all(place, "[data-card]")) {
    card.setAttribute("role", "button");
    card.setAttribute("tabindex", "-1");
  }
  rove(place, buttonsOf(place).find((part) => keyOf(part) === focused), focused !== undefined);
}

/** @param {Picture} place @param {HTMLElement | undefined} wanted */
function rove(place, wanted, focus = false) {
  const parts = buttonsOf(place);
  const chosen = wanted ?? parts[0];
  for (const part of parts) part.setAttribute("tabindex", part === chosen ? "0" : "-1");
  if (focus && byKeyboard()) chosen?.focus({ preventScroll: true });
}

/** Mark the areas that stand for actions. @param {Picture} place @param {Server.ActionGroup[]} groups */
export function openAreas(place, groups) {
  const open = Map.groupBy(groups, (group) => group.part ?? "lot");
  for (const area of all(place, "[data-part]")) {
    const own = open.get(area.dataset.part ?? "");
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

/** Call a function for a part that is clicked, tapped, or chosen by a key, with what its card says.
 * @param {Picture} place @param {(part: HTMLElement, text: string) => void} act */
export function onPart(place, act) {
  const watched = new Parts(place, act);
  for (const part of partsOf(place)) watched.watch(part);
}

/** The part of the picture that an event is about. @param {Event} event @param {string} selector
 * @returns {HTMLElement | null} */
const partAt = (event, selector) => (event.target instanceof Element ? event.target.closest(selector) : null);

/** What pointers, fingers and keys do in a picture. */
class Parts {
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  timer;
  isPressed = false; // a long press is no click

  /** @param {Picture} place @param {(part: HTMLElement, text: string) => void} act */
  constructor(place, act) {
    this.place = place;
    this.act = act;
  }

  /** @param {HTMLElement} part */
  watch(part) {
    part.addEventListener("focusin", (event) => this.onFocus(event));
    part.addEventListener("focusout", hideTip);
    part.addEventListener("click", (event) => this.onClick(event));
    part.addEventListener("keydown", (event) => this.onKey(event));
    for (const kind of ["pointerover", "pointerout", "pointerdown", "pointerup", "pointercancel"]) {
      part.addEventListener(kind, (event) => this.onPointer(/** @type {PointerEvent} */ (event)));
    }
  }

  /** @param {Event} event */
  choose(event) {
    const part = partAt(event, BUTTONS);
    if (part) this.act(part, part.dataset.card === undefined ? "" : aboutOf(part));
    return part;
  }

  /** @param {PointerEvent} event @param {number} milliseconds */
  tipLater(event, milliseconds) {
    clearTimeout(this.timer);
    const part = partAt(event, "[data-tip]");
    if (part && !isPanelOpen()) this.timer = setTimeout(() => {
      this.isPressed = event.type === "pointerdown";
      showTip(part);
    }, milliseconds);
  }

  /** @param {PointerEvent} event */
  onPointer(event) {
    const isMouse = event.pointerType === "mouse";
    if (event.type === "pointerover" && isMouse) this.tipLater(event, HOVER);
    else if (event.type === "pointerdown" && !isMouse) this.tipLater(event, PRESS);
    else {
      clearTimeout(this.timer);
      if (isMouse || !this.isPressed) hideTip();
    }
  }

  /** @param {MouseEvent} event */
  onClick(event) {
    const wasPressed = this.isPressed;
    this.isPressed = false;
    clearTimeout(this.timer);
    if (wasPressed) return;
    hideTip();
    const part = partAt(event, "[data-tip]");
    if (!this.choose(event) && part && !byKeyboard()) showTip(part);
  }

  /** @param {KeyboardEvent} event */
  onKey(event) {
    if (event.key === "Enter" || event.key === " ") {
      if (!this.choose(event)) return;
    } else if (event.key in ARROWS) {
      const parts = buttonsOf(this.place);
      const now = parts.findIndex((part) => part === partAt(event, "[tabindex]"));
      rove(this.place, parts[(now + ARROWS[event.key] + parts.length) % parts.length], true);
    } else return;
    event.preventDefault();
    event.stopPropagation();
  }

  /** @param {Event} event */
  onFocus(event) {
    const card = partAt(event, "[data-card]");
    if (card?.matches(":focus-visible") && !isPanelOpen()) showTip(card);
  }
}
