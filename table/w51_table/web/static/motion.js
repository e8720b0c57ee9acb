// What moves from one picture to the next: cards and money, each with its sound. Nothing where less motion is wanted.

import { element, findAll } from "./dom.js";
import { sound } from "./sounds.js";

const MOTION = 280; // milliseconds
const NOT_COPIED = ["tabindex", "role", "data-card", "data-part", "data-money", "data-fist"];
const MAX_COINS = 4; // drawings of money that fly from one place to another

/** @typedef {{shape: any, box: DOMRect}} Place a part of a picture, and where it is on the screen */
/** @typedef {Place & {amount: number}} Money */
/** @typedef {Place & {change: number, drawing?: any}} Changed money, with what was added */
/** @typedef {{cards: Map<string, Place>, money: Map<string, Money>, lot: Place | undefined}} Positions */

/** What may move in the parts of a picture: remember it before the picture changes. @param {HTMLElement[]} parts
 * @returns {Positions} */
export function positions(parts) {
  const all = (/** @type {string} */ selector) => parts.flatMap((part) => findAll(part, selector)).filter(isShown);
  // the counterfeit cards between the seats show relics, too, and never move
  const cards = all("[data-card]").filter((card) => !card.closest('[data-part^="gap:"]'));
  return {
    cards: new Map(cards.map((card) => [aboutOf(card).split("\n")[0], place(card)])),
    money: new Map(all("[data-money]").reverse().map((drawing) => {
      const [holder, amount] = (drawing.dataset.money ?? "").split(" ");
      return [holder, { ...place(drawing), amount: Number(amount) }];
    })),
    lot: all('[data-part="lot"]').map(place)[0],
  };
}

/** What a part of a picture says of itself: its lines. @param {HTMLElement} part @returns {string} */
export const aboutOf = (part) => part.dataset.tip ?? part.querySelector("title")?.textContent ?? "";

/** Whether things may move: less motion is not wanted. */
export const isMoving = () => !matchMedia("(prefers-reduced-motion: reduce)").matches;

/** Let everything move from where it was to where it is. @param {Positions} before @param {HTMLElement[]} parts */
export function move(before, parts) {
  if (!before.cards.size && !before.money.size) return;
  const now = positions(parts);
  const heard = changes(before, now).some(({ change }) => change) ? "coin"
    : [...now.cards.keys()].some((name) => !before.cards.has(name)) ? "card" : null;
  if (heard) sound(heard);
  if (!isMoving()) return;
  for (const [name, { shape, box }] of now.cards) glide(shape, before.cards.get(name)?.box, box);
  for (const [name, { shape, box }] of before.cards) {
    if (!now.cards.has(name)) fly(copy(shape, box), box, [{ opacity: 1 }, { opacity: 0, transform: "scale(.6)" }]);
  }
  pay(before, now);
}

/** @param {Element} shape */
const isShown = (shape) => shape.getClientRects().length > 0;
/** @param {any} shape @returns {Place} */
const place = (shape) => ({ shape, box: shape.getBoundingClientRect() });

/** @param {any} card @param {DOMRect | undefined} old @param {DOMRect} box */
function glide(card, old, box) {
  if (!old) card.animate([{ opacity: 0 }, { opacity: 1 }], MOTION);
  else if (Math.hypot(old.x - box.x, old.y - box.y) > 2) {
    const scale = card.getScreenCTM().a;
    const way = `translate(${(old.x - box.x) / scale}px, ${(old.y - box.y) / scale}px)`;
    const from = `${way} scale(${old.width / box.width})`;
    card.animate([{ transform: from }, { transform: "none" }], { duration: MOTION, easing: "ease-out" });
  }
}

/** The places of money, each with what was added. @param {Positions} before @param {Positions} now
 * @returns {Changed[]} */
function changes(before, now) {
  return [...now.money].map(([holder, here]) =>
    ({ ...here, change: here.amount - (before.money.get(holder)?.amount ?? here.amount) }));
}

/** Money flies from those who have less to those who have more; without such a seat from the lot, or to it.
 * @param {Positions} before @param {Positions} now */
function pay(before, now) {
  const found = changes(before, now);
  const givers = found.filter(({ change }) => change < 0);
  const takers = found.filter(({ change }) => change > 0);
  const middle = now.lot ?? before.lot;
  if (middle && !takers.length) takers.push({ ...middle, change: Infinity });
  if (middle && !givers.length && takers.some(({ change }) => change < Infinity)) {
    givers.push({ ...middle, drawing: takers[0].shape, change: -Infinity });
  }
  for (const giver of givers) {
    for (const taker of takers) {
      const coins = Math.min(MAX_COINS, -giver.change, taker.change);
      for (let coin = 0; coin < coins; coin += 1) throwCoin(giver, taker, coin);
    }
  }
}

/** @param {Place & {drawing?: any}} giver @param {Place} taker @param {number} coin */
function throwCoin(giver, taker, coin) {
  const [from, to] = [centre(giver.box), centre(taker.box)];
  const shape = giver.drawing ?? giver.shape;
  const drawn = giver.drawing ? taker.box : giver.box;
  const box = new DOMRect(from.x - drawn.width / 2, from.y - drawn.height / 2, drawn.width, drawn.height);
  const way = `translate(${to.x - from.x}px, ${to.y - from.y}px)`;
  const frames = [{ transform: "none" }, { transform: way, opacity: 1, offset: 0.85 }, { transform: way, opacity: 0 }];
  fly(copy(shape, drawn), box, frames, { delay: 40 * coin });
}

/** Where a part is; null if it is not shown. @param {Element | null | undefined} shape */
export const boxOf = (shape) => (shape?.getClientRects().length ? shape.getBoundingClientRect() : null);
/** @param {DOMRect} box */
export const centre = (box) => ({ x: box.x + box.width / 2, y: box.y + box.height / 2 });

/** Money flies from one drawing of it to another. @param {any} from @param {any} to */
export function throwCoins(from, to) {
  if (!isMoving()) return;
  for (let coin = 0; coin < MAX_COINS; coin += 1) throwCoin(place(from), place(to), coin);
}

/** A card leaves its place for the middle of `box`; returns the copy that flies and stays there. @param {any} card
 * @param {DOMRect} box */
export function flyTo(card, box) {
  const old = card.getBoundingClientRect();
  const [from, to] = [centre(old), centre(box)];
  card.style.opacity = 0;
  const end = `translate(${to.x - from.x}px, ${to.y - from.y}px) scale(.3)`;
  return fly(copy(card, old), old, [{ transform: "none" }, { transform: end }],
    { duration: isMoving() ? 2 * MOTION : 0, stays: true });
}

/** A copy of a part of a picture, as a picture of its own. @param {any} shape @param {DOMRect} box where it was */
export function copy(shape, box) {
  const own = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  const { x, y, width, height } = shape.getBBox();
  own.setAttribute("viewBox", `${x} ${y} ${width} ${height}`);
  own.setAttribute("width", String(box.width));
  own.setAttribute("height", String(box.height));
  const body = shape.cloneNode(true);
  for (const name of NOT_COPIED) body.removeAttribute(name);
  own.append(body);
  return own;
}

/** Show an element over the page at `box`, animate it, and take it away unless it stays; returns what is over the page.
 * @param {Element} body @param {DOMRect} box @param {Keyframe[]} frames
 * @param {{delay?: number, duration?: number, stays?: boolean}} how */
function fly(body, box, frames, { delay = 0, duration = MOTION, stays = false } = {}) {
  const layer = element("div", { class: "flying", "aria-hidden": "true" }, body);
  Object.assign(layer.style, { left: `${box.x + scrollX}px`, top: `${box.y + scrollY}px` });
  document.body.append(layer);
  const flight = layer.animate(frames, { duration, delay, easing: "ease-in-out", fill: "both" });
  flight.finished.finally(() => stays || layer.remove());
  return layer;
}
