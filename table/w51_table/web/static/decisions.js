// What a visitor decides at a table: the controls of the legal actions, orders for a lot, and taking back.

import { actionPanel } from "./actions.js";
import { Order, bidsOf } from "./bids.js";
import { button, byKeyboard, element, find, findAll } from "./dom.js";
import { closePanel } from "./popup.js";
import { endsLot } from "./staged.js";
import { store, stored } from "./storage.js";
import { said, word } from "./words.js";

const UNDO = 3000; // milliseconds for which the last decision can be taken back
const DELAY = 350; // in which a bid of the page can still be stopped

/** @typedef {Server.State & {received: number}} Received a state, and when it came */

/** The controls of a seat, in `actions`. */
export class Decisions {
  /** @type {Received | null} */
  state = null;
  isSent = false; // an action was sent and not answered yet
  isHeld = false; // the focus was on the actions when they were last replaced
  /** @type {number | undefined} */
  rest; // what is left of a bid that takes two actions
  usual = 0; // the highest own bid so far
  reason = ""; // why this lot does not ask the seat
  hasPassed = false; // with its last action
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  timer;

  /** @param {(message: Server.Received) => void} send @param {import("./coach.js").Coach} coach
   * @param {() => void} hurry shows nothing but the next decision @param {string} table its name */
  constructor(send, coach, hurry, table) {
    this.table = table;
    this.send = send;
    this.hurry = hurry;
    this.coach = coach;
    this.order = new Order();
    this.actions = element("section", { class: "panel actions", "aria-label": word("your_actions") });
  }

  /** A new state. @param {Received} message */
  update(message) {
    const isSame = !message.new && !this.isSent && this.state?.decision === message.decision;
    this.state = message;
    this.order.see(message, endsLot(message));
    this.reason = reasonOf(message, this.reason);
    if (!isSame) this.show(message);
    this.actions.dataset.decision = String(message.decision);
  }

  /** Nothing is asked now. @param {boolean} isOver */
  wait(isOver) {
    this.actions.classList.remove("yours", "sent");
    this.actions.replaceChildren(element("p", {}, word(isOver ? "over" : "waiting")));
  }

  /** @param {Received} message */
  show(message) {
    const { actions, coach, order } = this;
    if (actions.contains(document.activeElement)) this.isHeld = true;
    else if (document.activeElement !== document.body) this.isHeld = false;
    this.isSent = false;
    closePanel();
    coach.clear();
    actions.hidden = message.seat === null;
    actions.classList.remove("sent", "placed");
    actions.replaceChildren();
    clearTimeout(this.timer);
    const ordered = order.action(message.actions);
    if (message.actions.length || message.new) this.hasPassed = false;
    if (this.hasPassed && message.hurry && !message.bidding && stored("hurry", false)) this.skip();
    if (ordered !== null) this.timer = setTimeout(() => this.act(ordered), DELAY);
    if (message.actions.length && ordered === null) {
      if (this.bidRest(message)) return;
      actions.append(...actionPanel(message.actions, this.deciding()),
        button(word("hint"), () => coach.ask(message.decision), { class: "quiet", id: "hint" }));
      coach.order = actions.querySelector("#up-to") ? (limit) => this.giveOrder(limit) : null;
      if (this.isHeld && byKeyboard()) find(actions, "input, button").focus({ preventScroll: true });
    } else actions.append(...order.limit === null ? this.waitingFor(message) : this.ordered(order.limit));
    if (message.undo && order.limit === null) actions.append(this.undoButton(message));
    actions.classList.toggle("yours", message.actions.length > 0 && ordered === null);
  }

  /** What tells of an order. @param {number} limit */
  ordered(limit) {
    const text = word(limit ? "order_up_to" : "order_pass", { amount: said(limit) });
    return [element("p", { class: "order", role: "status" }, text), button(word("order_stop"), () => {
      clearTimeout(this.timer);
      this.giveOrder(null);
    }, { id: "stop" })];
  }

  /** What the actions say while others decide; who is still in an auction may pass already.
   * @param {Received} message */
  waitingFor(message) {
    const now = message.over ? "over" : message.pace === null && message.thinking ? "paused" : "waiting";
    const { name, person, here, stand_in: isPlayed } = message.seats[message.turn ?? -1] ?? { here: true };
    const awaited = person && !here && !isPlayed && !message.over ? word("waiting_away", { name }) : word(now);
    const line = element("p", {}, [message.over ? "" : this.reason, awaited].filter(Boolean).join(" "));
    const pass = () => button(word("pass_lot"), () => this.giveOrder(0), { "data-kind": "pass", id: "pass-lot" });
    return [line, ...message.bidding ? [pass()] : [], ...message.hurry && !message.bidding ? [this.hurryButton()] : []];
  }

  hurryButton() {
    return button(word("hurry"), ({ currentTarget }) => {
      currentTarget.disabled = true;
      this.skip();
    }, { id: "hurry" });
  }

  skip() {
    this.send({ type: "hurry" });
    this.hurry();
  }

  /** @param {Received} message */
  undoButton(message) {
    const made = button(word("undo"), () => this.send({ type: "act", decision: message.decision, action: null }),
      { class: "undo", id: "undo" });
    setTimeout(() => made.remove(), Math.max(0, UNDO - (performance.now() - message.received)));
    return made;
  }

  /** Bid the least that leads, now and later, up to an amount; 0 passes; null: no more. @param {number | null} limit */
  giveOrder(limit) {
    this.order.limit = limit;
    this.usual = Math.max(this.usual, limit ?? 0);
    if (this.state) this.show(this.state);
  }

  /** The second action of a bid that takes two, at once; false if there is none. @param {Received} message */
  bidRest(message) {
    const wanted = this.rest;
    this.rest = undefined;
    const found = wanted && bidsOf(message.actions).find(([amount]) => amount === wanted);
    if (found) this.act(found[1]);
    return Boolean(found);
  }

  /** Play an action; the controls show at once that it was chosen. @param {number} action
   * @param {import("./actions.js").Bid} bid */
  act(action, bid = {}) {
    const { actions, state } = this;
    if (this.isSent || !state) return;
    this.isSent = true;
    this.rest = bid.rest;
    this.usual = Math.max(this.usual, bid.amount ?? 0);
    this.hasPassed = state.actions.some(({ kind, id }) => kind === "pass" && id === action);
    closePanel(true);
    this.isHeld ||= actions.contains(document.activeElement);
    actions.classList.add("sent");
    for (const control of findAll(actions, "button, input")) control.toggleAttribute("disabled", true);
    this.send({ type: "act", decision: state.decision, action });
  }

  /** What controls of bids need. @returns {import("./actions.js").Deciding} */
  deciding() {
    const decision = this.state?.decision ?? 0;
    const place = `${this.table} ${decision}`;
    const typed = stored("typed", { place: "", amount: 0 });
    return { choose: (action, bid) => this.act(action, bid), order: (limit) => this.giveOrder(limit),
      usual: this.usual, advised: () => this.coach.bid(decision),
      typed: typed.place === place ? typed.amount : undefined,
      keep: (amount) => store("typed", { place, amount }) };
  }
}

/** Why a lot does not ask the seat, after a state; it holds until the seat is asked or the next lot begins.
 * @param {Server.State} message @param {string} before */
export function reasonOf(message, before) {
  const { skipped, lots } = message;
  if (skipped && skipped.line > (lots.at(-1) ?? -1)) return skipped.text;
  return message.new || lots.length || message.actions.length ? "" : before;
}
