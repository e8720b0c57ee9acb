// One state of a table as a scene over its picture: fists that open, a sale, what is turned over at the end.

import { element, findAll } from "./dom.js";
import { form } from "./layout.js";
import { boxOf, centre, copy, flyTo, isMoving, throwCoins } from "./motion.js";
import { partsOf, unpacked } from "./picture.js";
import { sound } from "./sounds.js";
import { isEnd, leaders } from "./staged.js";
import { said, word } from "./words.js";

const DWELL = { sale: 1500, turn: 1200, leave: 1200, note: 900 }; // milliseconds, for each stage of an event
/** @type {Record<Server.StagedEvent["stage"], import("./sounds.js").Sound>} */
const SOUND = { sale: "gavel", turn: "card", leave: "fist", note: "coin" };
const FIST = 180; // from one fist to the next
const LOOK = 700; // at all open hands
const TIE = 1400; // at the reason for which one of the tied wins
const MAX_LINES = { wide: 3, narrow: 2 };

/**
 * What a scene tells.
 * @typedef {Pick<Server.State, "picture" | "score" | "over" | "new" | "seat" | "news" | "lots" | "opened" | "staged">
 *   & {skipped?: Server.Skipped | null, actions?: Server.ActionGroup[]}} Told
 */

export class Scene {
  /** @param {import("./picture.js").Picture} picture @param {Told} state
   * @param {(milliseconds: number) => Promise<void>} pause */
  constructor(picture, state, pause) {
    this.picture = picture;
    this.state = state;
    this.pause = pause;
    this.sale = state.staged.find((one) => one.stage === "sale");
    this.lot = boxOf(this.find("[data-lot]")) ?? picture.getBoundingClientRect();
    this.banner = element("div", { class: "moment", "aria-hidden": "true" });
    /** @type {HTMLElement[]} */
    this.layers = [this.banner];
    /** @type {Map<string, number>} */
    this.turned = new Map(); // gap: cards turned over so far
    /** @type {Map<number, HTMLElement>} */
    this.hands = new Map(); // the amount of each seat, over its fist
  }

  clear() {
    for (const layer of this.layers) layer.remove();
    for (const part of partsOf(this.picture)) {
      part.classList.remove("dwelling");
      for (const one of findAll(part, ".told, .left")) one.classList.remove("told", "left");
    }
  }

  /** @param {string} selector @returns {any} */
  find(selector) {
    const found = partsOf(this.picture).flatMap((part) => findAll(part, selector));
    return found.find((one) => one.getClientRects().length) ?? found[0] ?? null;
  }

  /** Take the hands away, and hide the next lot until this one is told. */
  closeLot() {
    for (const hand of this.hands.values()) hand.parentElement?.remove();
    if (this.sale) for (const part of partsOf(this.picture)) part.classList.add("dwelling");
  }

  /** Fists open where they are, one after another; the highest lights up, and a tie says why. */
  async openFists() {
    const { opened } = this.state;
    if (!opened.length) return;
    for (const [seat, amount] of opened) {
      this.openFist(seat, amount);
      await this.pause(FIST);
    }
    await this.pause(LOOK);
    const tied = leaders(opened);
    for (const [seat, tile] of tied.length ? this.hands : []) {
      tile.classList.add(tied.includes(seat) ? "leads" : "trails");
    }
    await this.pause(LOOK);
    if (tied.length < 2) return;
    const winner = this.sale?.seat ?? tied[0];
    const amount = opened.find(([seat]) => seat === tied[0])?.[1];
    this.say(word(winner === tied[0] ? "tie_order" : "tie_relic", { amount, name: this.state.score?.names[winner] }));
    for (const seat of tied) if (seat !== winner) this.hands.get(seat)?.classList.replace("leads", "trails");
    await this.pause(TIE);
  }

  /** @param {number} seat @param {number} amount */
  openFist(seat, amount) {
    const fist = this.find(`[data-fist="${seat}"]`);
    const tile = element("b", { class: "hand", "data-hand": seat }, said(amount));
    this.put(tile, boxOf(fist) ?? this.lastPlace(seat) ?? this.lot);
    if (fist) fist.style.opacity = 0;
    this.hands.set(seat, tile);
    if (isMoving()) {
      const steps = [{ transform: "scale(.3)", opacity: 0 }, { transform: "scale(1.2)", opacity: 1, offset: 0.6 }];
      tile.animate([...steps, { transform: "none" }], 260);
    }
    sound("fist");
  }

  /** Where a seat that has no fist opens its hand, as its bid was the last: on a phone, where the fist would be.
   * @param {number} seat */
  lastPlace(seat) {
    const other = this.find("[data-fist]");
    const [own, beside] = [seat, other?.dataset.fist].map((one) => boxOf(this.find(`[data-money^="${one} "]`)));
    const box = boxOf(other);
    if (form() === "wide" || !own || !beside || !box) return own;
    return new DOMRect(box.x + own.x - beside.x, box.y, box.width, box.height);
  }

  /** Each event with its sentence, and the part of the picture that it is about. */
  async tellEvents() {
    const { state, sale } = this;
    const cards = isEnd(state) ? await this.lastPicture() : null;
    for (const one of state.staged) {
      if (one.stage === "note" && one.seat === state.seat && !sale && !cards) continue;
      let about = one.parts.map((part) => this.find(`[data-part="${CSS.escape(part)}"]`)).filter(Boolean);
      if (cards) about = this.showOn(one, about, cards);
      if (one.stage === "sale" && state.skipped && state.skipped.line < one.line) this.say(state.skipped.text);
      for (const part of about) part.classList.add("told");
      sound(SOUND[one.stage]);
      this.say(state.news[one.line], one.stage === "sale",
        about.find((part) => part.matches("[data-card]") || one.stage === "turn"));
      await this.pause(DWELL[one.stage]);
      for (const part of about) part.classList.remove("told");
    }
  }

  /** An event in the picture before it: a lot is sold, a card turned over, or a relic leaves. Returns what it is about.
   * @param {Server.StagedEvent} one @param {any[]} about @param {HTMLElement} cards */
  showOn(one, about, cards) {
    if (one.stage === "sale") this.sell(one);
    if (one.stage === "turn") return this.turn(one.parts.find((part) => part.startsWith("gap:")) ?? "", cards);
    if (one.stage === "leave") for (const part of about) part.classList.add("left");
    return about;
  }

  /** A sentence, with a copy of the card that it is about. @param {string} text @param {boolean} isSale
   * @param {any} card */
  say(text, isSale = false, card = null) {
    const { banner, lot } = this;
    const shown = card && !isSale ? [copy(card, new DOMRect(0, 0, 40, 50))] : []; // pixels, beside the sentence
    banner.append(element("p", { class: isSale ? "sale" : "" }, ...shown, element("span", {}, text)));
    while (banner.childElementCount > MAX_LINES[form()]) banner.firstChild?.remove();
    if (!banner.isConnected) document.body.append(banner);
    const [{ x }, { y }] = [centre(this.picture.getBoundingClientRect()), centre(lot)];
    const { width, height } = banner.getBoundingClientRect();
    const left = Math.max(4, Math.min(x - width / 2, document.documentElement.clientWidth - width - 4));
    Object.assign(banner.style, { left: `${scrollX + left}px`, top: `${scrollY + Math.max(4, y - height / 2)}px` });
  }

  /** Put an element below a place, which stays legible. @param {HTMLElement} body @param {DOMRect} box */
  put(body, box) {
    const layer = element("div", { class: "flying still", "aria-hidden": "true" }, body);
    document.body.append(layer);
    this.layers.push(layer);
    const { width } = layer.getBoundingClientRect();
    Object.assign(layer.style, { left: `${scrollX + centre(box).x - width / 2}px`, top: `${scrollY + box.bottom}px` });
  }

  // ---- the end, at which the last picture of the auctions is shown until all is told

  async lastPicture() {
    const shape = element("div");
    shape.innerHTML = await unpacked(this.state.picture);
    return shape;
  }

  /** The last lot goes to its buyer, and the price to whom it is paid. @param {Server.StagedEvent} event */
  sell({ seat, parts }) {
    const card = this.find('[data-part="lot"]');
    const payee = parts.find((part) => part.startsWith("payee:"))?.slice("payee:".length);
    const [buyer, paid] = [seat, Number(payee)].map((holder) => this.find(`[data-money^="${holder} "]`));
    const box = boxOf(buyer);
    if (card && box) this.layers.push(flyTo(card, box));
    if (buyer && paid) throwCoins(buyer, paid);
  }

  /** The next counterfeit card of a gap is turned over; returns its places. @param {string} gap
   * @param {HTMLElement} cards */
  turn(gap, cards) {
    const count = this.turned.get(gap) ?? 0;
    this.turned.set(gap, count + 1);
    const selector = `[data-part="${gap}"]`;
    const fresh = cards.querySelector(selector)?.querySelectorAll(":scope > g")[count];
    const old = this.find(selector)?.querySelectorAll(":scope > g")[count];
    if (!old || !fresh) return [];
    old.innerHTML = fresh.innerHTML;
    const turning = [{ transform: "scaleX(0)" }, { transform: "none" }];
    if (isMoving()) old.firstElementChild.animate(turning, { duration: 300, easing: "ease-out" });
    return [old];
  }
}
