// What happens at a table, shown one step after another: fists that open, a sale, what is turned over at the end. The
// next state of the table waits for it; a click or a key skips it.

import { element, form, select, store, stored, word } from "./dom.js";
import { boxOf, centre, copy, flyTo, isMoving, throwCoins } from "./motion.js";
import { sound } from "./sounds.js";
import { unpacked } from "./picture.js";

const SPEEDS = { normal: 1, fast: 0.4, off: 0 };
const DWELL = { sale: 1500, turn: 1200, leave: 1200, note: 900 }; // milliseconds, for each stage of an event
const SOUND = { sale: "gavel", turn: "card", leave: "fist", note: "coin" };
const FIST = 180; // from one fist to the next
const LOOK = 700; // at all open hands
const TIE = 1400; // at the reason for which one of the tied wins
const CATCH_UP = 150; // from one state to the next, of those that have waited
const MAX_LINES = { wide: 3, narrow: 2 };
const CARD = new DOMRect(0, 0, 40, 50); // pixels: what a sentence is about, beside it

/** The control for how long the page dwells on what happens. */
export function speedChoice() {
  const options = Object.keys(SPEEDS).map((name) => [name, word(`staging_${name}`)]);
  return select(options, stored("staging", "normal"), (name) => store("staging", name), { id: "staging" });
}

/** How long the page dwells on what happens; 1 is normal, 0 not at all. */
export const speed = () => SPEEDS[stored("staging", "normal")] ?? 1;

/**
 * Show states in order. `begin(message)` is called before it is told what has happened, `draw(message)` puts the picture
 * of a state into `picture`, `show(message)` shows all of it. Returns `add(message)` and `stop()`.
 */
export function staging(picture, { begin = () => {}, draw, show }) {
  const waiting = [];
  let busy = false;
  let isClosed = false;
  let skip = () => {};
  let skipped = Promise.resolve();
  return { add, stop };

  function add(message) {
    if (message.new) forget();
    waiting.push(message);
    if (!busy) run();
  }

  /** Show nothing any more. */
  function stop() {
    isClosed = true;
    forget();
  }

  function forget() {
    waiting.length = 0;
    skip();
  }

  async function run() {
    busy = true;
    while (waiting.length) {
      const message = waiting.shift();
      if (speed() && !document.hidden && isStaged(message)) await tell(message);
      if (!isClosed && !waiting.some((later) => later.new)) show(message);
      if (waiting.length && speed() && !document.hidden) await pause(CATCH_UP);
    }
    busy = false;
  }

  function pause(milliseconds) {
    return Promise.race([skipped, new Promise((resolve) => setTimeout(resolve, milliseconds * speed()))]);
  }

  async function tell(message) {
    const ends = new AbortController();
    skipped = new Promise((resolve) => { skip = resolve; });
    const end = (event) => { if (!["Shift", "Control", "Alt", "Meta", "Tab"].includes(event.key)) skip(); };
    for (const kind of ["pointerdown", "keydown"]) document.addEventListener(kind, end, { signal: ends.signal, capture: true });
    document.addEventListener("visibilitychange", () => skip(), { signal: ends.signal });
    const told = scene(picture, message, pause);
    begin(message);
    try {
      await told.openFists();
      if (!isEnd(message)) {
        told.closeLot();
        await draw(message);
      }
      await told.tellEvents();
    } finally {
      ends.abort();
      skip();
      told.clear();
    }
  }
}

/** Whether a lot ends before a state, or the game. */
export const endsLot = ({ over, opened, staged }) => over || opened.length > 0 || staged.some((one) => one.stage === "sale");

/** The heading while it is told what happened before a state; null: that of before still holds. */
export function headingOf({ over, opened, staged }, isDrawn) {
  if (over) return word("over");
  if (opened.length && !isDrawn) return word("opening");
  const told = [["sale", "auction_over"], ["turn", "turning"]].find(([stage]) => staged.some((one) => one.stage === stage));
  return told ? word(told[1]) : null;
}

/** Whether a state has something to dwell on; what the own seat has just done itself needs no notice. */
function isStaged({ new: isNew, opened, staged, seat, over }) {
  return !isNew && (opened.length > 0 || staged.some((one) => over || one.stage !== "note" || one.seat !== seat));
}

/** Whether the picture before a state is shown until all is told: the next one has other things in the place of the lot. */
function isEnd({ over, staged }) {
  return over || staged.some((one) => one.stage === "turn");
}

/** One state as a scene: its parts over and in `picture`. */
function scene(picture, message, pause) {
  const sale = message.staged.find((one) => one.stage === "sale");
  const lot = boxOf(find('[data-lot]')) ?? boxOf(picture);
  const banner = element("div", { class: "moment", "aria-hidden": "true" });
  const layers = [banner];
  const turned = new Map(); // gap: cards turned over so far
  const hands = new Map(); // the amount of each seat, over its fist
  return { openFists, closeLot, tellEvents, clear };

  function clear() {
    for (const layer of layers) layer.remove();
    for (const part of parts()) {
      part.classList.remove("dwelling");
      part.querySelectorAll(".told, .left").forEach((one) => one.classList.remove("told", "left"));
    }
  }

  function parts() {
    return [picture, picture.rest].filter(Boolean);
  }

  function find(selector) {
    const found = parts().flatMap((part) => [...part.querySelectorAll(selector)]);
    return found.find((one) => one.getClientRects().length) ?? found[0] ?? null;
  }

  /** Take the hands away, and hide the next lot until this one is told. */
  function closeLot() {
    for (const hand of hands.values()) hand.parentElement.remove();
    if (sale) for (const part of parts()) part.classList.add("dwelling");
  }

  /** Fists open where they are, one after another; the highest lights up, and a tie says why. */
  async function openFists() {
    const { opened } = message;
    if (!opened.length) return;
    for (const [seat, amount] of opened) {
      const fist = find(`[data-fist="${seat}"]`);
      const tile = element("b", { class: "hand", "data-hand": seat }, amount.toLocaleString(document.documentElement.lang));
      put(tile, boxOf(fist) ?? lastPlace(seat) ?? lot);
      if (fist) fist.style.opacity = 0;
      hands.set(seat, tile);
      if (isMoving()) tile.animate([{ transform: "scale(.3)", opacity: 0 }, { transform: "scale(1.2)", opacity: 1, offset: 0.6 }, { transform: "none" }], 260);
      sound("fist");
      await pause(FIST);
    }
    await pause(LOOK);
    const most = Math.max(...opened.map(([, amount]) => amount));
    const tied = opened.filter(([, amount]) => amount === most).map(([seat]) => seat);
    if (most > 0) for (const [seat, tile] of hands) tile.classList.add(tied.includes(seat) ? "leads" : "trails");
    if (most > 0 && tied.length > 1) {
      await pause(LOOK);
      const name = message.score.names[sale.seat];
      say(word(sale.seat === tied[0] ? "tie_order" : "tie_relic", { amount: most, name }));
      for (const seat of tied) if (seat !== sale.seat) hands.get(seat).classList.replace("leads", "trails");
      await pause(TIE);
    } else await pause(LOOK);
  }

  /** Where a seat that has no fist opens its hand, as its bid was the last: on a phone, where the fist would be. */
  function lastPlace(seat) {
    const other = find("[data-fist]");
    const [own, beside] = [seat, other?.dataset.fist].map((one) => boxOf(find(`[data-money^="${one} "]`)));
    if (form() === "wide" || !own || !beside) return own;
    const { x, y, width, height } = boxOf(other);
    return new DOMRect(x + own.x - beside.x, y, width, height);
  }

  /** Each event with its sentence, and the part of the picture that it is about. */
  async function tellEvents() {
    const cards = isEnd(message) ? await lastPicture() : null;
    for (const one of message.staged) {
      if (one.stage === "note" && one.seat === message.seat && !sale && !cards) continue;
      const about = one.parts.map((part) => find(`[data-part="${CSS.escape(part)}"]`)).filter(Boolean);
      if (cards) showOn(one, about, cards);
      if (one.stage === "sale" && message.skipped?.line < one.line) say(message.skipped.text);
      for (const part of about) part.classList.add("told");
      sound(SOUND[one.stage]);
      say(message.news[one.line], one.stage === "sale", about.find((part) => part.matches("[data-card]") || one.stage === "turn"));
      await pause(DWELL[one.stage]);
      for (const part of about) part.classList.remove("told");
    }
  }

  /** An event in the picture before it: a lot is sold, a card is turned over, or a relic leaves. */
  function showOn(one, about, cards) {
    if (one.stage === "sale") sell(one);
    if (one.stage === "turn") about.splice(0, about.length, ...turn(one.parts.find((part) => part.startsWith("gap:")), cards));
    if (one.stage === "leave") for (const part of about) part.classList.add("left");
  }

  /** A sentence, with a copy of the card that it is about. */
  function say(text, isSale = false, card = null) {
    banner.append(element("p", { class: isSale ? "sale" : "" }, ...(card && !isSale ? [copy(card, CARD)] : []), element("span", {}, text)));
    while (banner.childElementCount > MAX_LINES[form()]) banner.firstChild.remove();
    if (!banner.isConnected) document.body.append(banner);
    const [{ x }, { y }] = [centre(boxOf(picture)), centre(lot)];
    const { width, height } = banner.getBoundingClientRect();
    const left = Math.max(4, Math.min(x - width / 2, document.documentElement.clientWidth - width - 4));
    Object.assign(banner.style, { left: `${scrollX + left}px`, top: `${scrollY + Math.max(4, y - height / 2)}px` });
  }

  /** Put an element below a place, which stays legible. */
  function put(body, box) {
    const layer = element("div", { class: "flying still", "aria-hidden": "true" }, body);
    document.body.append(layer);
    layers.push(layer);
    const { width } = layer.getBoundingClientRect();
    Object.assign(layer.style, { left: `${scrollX + centre(box).x - width / 2}px`, top: `${scrollY + box.bottom}px` });
  }

  // ---- the end, at which the last picture of the auctions is shown until all is told

  async function lastPicture() {
    const shape = element("div");
    shape.innerHTML = await unpacked(message.picture);
    return shape;
  }

  /** The last lot goes to its buyer, and the price to whom it is paid. */
  function sell({ seat, parts: named }) {
    const card = find('[data-part="lot"]');
    const [buyer, payee] = [seat, Number(named.find((part) => part.startsWith("payee:"))?.slice(6))]
      .map((holder) => find(`[data-money^="${holder} "]`));
    if (card && buyer) layers.push(flyTo(card, boxOf(buyer)));
    if (buyer && payee) throwCoins(buyer, payee);
  }

  /** The next counterfeit card of a gap is turned over; returns its places. */
  function turn(gap, cards) {
    const count = turned.get(gap) ?? 0;
    turned.set(gap, count + 1);
    const selector = `[data-part="${gap}"]`;
    const fresh = cards.querySelector(selector)?.querySelectorAll(":scope > g")[count];
    const old = find(selector)?.querySelectorAll(":scope > g")[count];
    if (!old || !fresh) return [];
    old.innerHTML = fresh.innerHTML;
    if (isMoving()) old.firstElementChild.animate([{ transform: "scaleX(0)" }, { transform: "none" }], { duration: 300, easing: "ease-out" });
    return [old];
  }
}
