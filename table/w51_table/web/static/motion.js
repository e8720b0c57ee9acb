// What moves from one picture to the next: cards, money, and fists that open. Nothing where less motion is wanted. Each
// has its sound.

import { element } from "./dom.js";
import { sound } from "./sounds.js";

const MOTION = 280; // milliseconds
const MAX_COINS = 4; // drawings of money that fly from one place to another

/** What may move in the parts of a picture: remember it before the picture changes. */
export function positions(parts) {
  const all = (selector) => parts.flatMap((part) => [...part.querySelectorAll(selector)]).filter(isShown);
  // the counterfeit cards between the seats show relics, too, and never move
  const cards = all("[data-card]").filter((card) => !card.closest('[data-part^="gap:"]'));
  return {
    cards: new Map(cards.map((card) => [card.querySelector("title").textContent.split("\n")[0], place(card)])),
    money: new Map(all("[data-money]").reverse().map((drawing) => {
      const [holder, amount] = drawing.dataset.money.split(" ");
      return [holder, { ...place(drawing), amount: Number(amount) }];
    })),
    fists: new Map(all("[data-fist]").reverse().map((fist) => [Number(fist.dataset.fist), place(fist)])),
    lot: all('[data-part="lot"]').map(place)[0],
  };
}

/** Let everything move from where it was to where it is. `opened` are the bids that were shown: [seat, amount]. */
export function move(before, parts, opened = []) {
  if (!before.cards.size && !before.money.size) return;
  const now = positions(parts);
  const heard = opened.length ? "fist" : changes(before, now).some(({ change }) => change) ? "coin"
    : [...now.cards.keys()].some((name) => !before.cards.has(name)) ? "card" : null;
  if (heard) sound(heard);
  if (matchMedia("(prefers-reduced-motion: reduce)").matches) return;
  for (const [name, { shape, box }] of now.cards) glide(shape, before.cards.get(name)?.box, box);
  for (const [name, { shape, box }] of before.cards) {
    if (!now.cards.has(name)) fly(copy(shape, box), box, [{ opacity: 1 }, { opacity: 0, transform: "scale(.6)" }]);
  }
  pay(before, now);
  for (const [seat, amount] of opened) open(before.fists.get(seat), now.money.get(String(seat)), amount);
}

const isShown = (shape) => shape.getClientRects().length > 0;
const place = (shape) => ({ shape, box: shape.getBoundingClientRect() });

function glide(card, old, box) {
  if (!old) card.animate([{ opacity: 0 }, { opacity: 1 }], MOTION);
  else if (Math.hypot(old.x - box.x, old.y - box.y) > 2) {
    const scale = card.getScreenCTM().a;
    const from = `translate(${(old.x - box.x) / scale}px, ${(old.y - box.y) / scale}px) scale(${old.width / box.width})`;
    card.animate([{ transform: from }, { transform: "none" }], { duration: MOTION, easing: "ease-out" });
  }
}

/** The places of money, each with what was added. */
function changes(before, now) {
  return [...now.money].map(([holder, here]) => ({ ...here, change: here.amount - (before.money.get(holder)?.amount ?? here.amount) }));
}

/** Money flies from those who have less to those who have more; without such a seat from the lot, or to it. */
function pay(before, now) {
  const found = changes(before, now);
  const givers = found.filter(({ change }) => change < 0);
  const takers = found.filter(({ change }) => change > 0);
  const middle = now.lot ?? before.lot;
  if (middle && !takers.length) takers.push({ ...middle, change: Infinity });
  if (middle && !givers.length && takers.some(({ change }) => change < Infinity)) givers.push({ ...middle, drawing: takers[0].shape, change: -Infinity });
  for (const giver of givers) {
    for (const taker of takers) {
      const coins = Math.min(MAX_COINS, -giver.change, taker.change);
      for (let coin = 0; coin < coins; coin += 1) throwCoin(giver, taker, coin);
    }
  }
}

function throwCoin(giver, taker, coin) {
  const [from, to] = [centre(giver.box), centre(taker.box)];
  const shape = giver.drawing ?? giver.shape;
  const drawn = giver.drawing ? taker.box : giver.box;
  const box = new DOMRect(from.x - drawn.width / 2, from.y - drawn.height / 2, drawn.width, drawn.height);
  const way = `translate(${to.x - from.x}px, ${to.y - from.y}px)`;
  fly(copy(shape, drawn), box, [{ transform: "none" }, { transform: way, opacity: 1, offset: 0.85 }, { transform: way, opacity: 0 }], 40 * coin);
}

const centre = (box) => ({ x: box.x + box.width / 2, y: box.y + box.height / 2 });

/** A fist becomes the amount that was in it; that of the last bidder was never seen closed, and opens at the money. */
function open(fist, money, amount) {
  const box = (fist ?? money)?.box;
  if (!box) return;
  if (fist) fly(copy(fist.shape, box), box, [{ opacity: 1 }, { opacity: 0, transform: "scale(1.6)" }]);
  const shown = element("b", { class: "opened" }, amount.toLocaleString(document.documentElement.lang));
  fly(shown, new DOMRect(box.x + box.width / 2 - 20, box.y + box.height / 2 - 16, 40, 32),
    [{ transform: "scale(.3)", opacity: 0 }, { transform: "none", opacity: 1, offset: 0.2 }, { transform: "none", opacity: 1, offset: 0.8 }, { opacity: 0 }], 0, 4 * MOTION);
}

/** A copy of a part of a picture, as a picture of its own; `box` is where it was on the screen. */
function copy(shape, box) {
  const own = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  const { x, y, width, height } = shape.getBBox();
  own.setAttribute("viewBox", `${x} ${y} ${width} ${height}`);
  own.setAttribute("width", box.width);
  own.setAttribute("height", box.height);
  const body = shape.cloneNode(true);
  for (const name of ["tabindex", "role", "data-card", "data-part", "data-money", "data-fist"]) body.removeAttribute(name);
  own.append(body);
  return own;
}

/** Show an element over the page at `box`, animate it, and take it away. */
function fly(body, box, frames, delay = 0, duration = MOTION) {
  const layer = element("div", { class: "flying", "aria-hidden": "true" }, body);
  Object.assign(layer.style, { left: `${box.x + scrollX}px`, top: `${box.y + scrollY}px` });
  document.body.append(layer);
  layer.animate(frames, { duration, delay, easing: "ease-in-out", fill: "both" }).finished.finally(() => layer.remove());
}
