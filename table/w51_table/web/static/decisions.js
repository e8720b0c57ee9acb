// What a visitor decides at a table: the controls of the legal actions, orders for a lot, and taking back.

import { actionPanel } from "./actions.js";
import { byKeyboard, element, word } from "./dom.js";
import { standingOrder } from "./orders.js";
import { closePanel } from "./picture.js";

const UNDO = 3000; // milliseconds for which the last decision can be taken back

/**
 * The controls of a seat. `send(message)` reaches the server, `coach` gives hints. Returns `actions`, the element;
 * `update(message)` for each new state; `act(action)`; `wait(over)`: nothing is asked now; `isSent()`: whether an action
 * was sent and not answered yet; `bidding()`: what the controls of bids need beside the actions.
 */
export function decisions(send, coach) {
  const actions = element("section", { class: "panel actions", "aria-label": word("your_actions") });
  let state = null;
  let sent = false;
  let held = false; // the focus was on the actions when they were last replaced
  let rest; // what is left of a bid that takes two actions
  let usual = 0; // the highest own bid so far
  let reason = ""; // why this lot does not ask the seat
  const order = standingOrder(act, () => show(state));
  return { actions, update, act, wait, isSent: () => sent, bidding };

  function update(message) {
    const isSame = !message.new && !sent && state?.decision === message.decision;
    state = message;
    order.see(message);
    if (message.new || message.lots.length || message.actions.length) reason = "";
    if (message.skipped && message.skipped.line > (message.lots.at(-1) ?? -1)) reason = message.skipped.text;
    if (!isSame) show(message);
    actions.dataset.decision = message.decision;
  }

  function wait(over) {
    actions.classList.remove("yours", "sent");
    actions.replaceChildren(element("p", {}, word(over ? "over" : "waiting")));
  }

  function show(message) {
    if (actions.contains(document.activeElement)) held = true;
    else if (document.activeElement !== document.body) held = false;
    sent = false;
    closePanel();
    coach.clear();
    actions.hidden = message.seat === null;
    actions.classList.remove("sent");
    actions.replaceChildren();
    const ordered = order.follow(message);
    if (message.actions.length && !ordered) {
      if (bidRest(message)) return;
      actions.append(...actionPanel(message.actions, act, bidding()),
        element("button", { type: "button", class: "quiet", id: "hint", onclick: () => coach.ask(state.decision) }, word("hint")));
      if (held && byKeyboard()) actions.querySelector("input, button")?.focus({ preventScroll: true });
    } else if (order.isGiven()) actions.append(...order.status());
    else actions.append(...waitingFor(message));
    if (message.undo && !order.isGiven()) actions.append(undoButton(message));
    actions.classList.toggle("yours", message.actions.length > 0 && !ordered);
  }

  /** What the actions say while others decide; who is still in an auction may pass already. */
  function waitingFor(message) {
    const now = message.over ? "over" : message.pace === null && message.thinking ? "paused" : "waiting";
    const said = element("p", {}, [message.over ? "" : reason, word(now)].filter(Boolean).join(" "));
    return message.bidding ? [said, element("button", { type: "button", "data-kind": "pass", id: "pass-lot", onclick: () => {
      order.give(0);
      show(state);
    } }, word("pass_lot"))] : [said];
  }

  function undoButton(message) {
    const made = element("button", { type: "button", class: "undo", id: "undo",
      onclick: () => send({ type: "act", decision: message.decision, action: null }) }, word("undo"));
    setTimeout(() => made.remove(), Math.max(0, UNDO - (performance.now() - message.received)));
    return made;
  }

  /** Bid the least that leads, now and later, up to an amount. */
  function giveOrder(limit) {
    order.give(limit);
    usual = Math.max(usual, limit);
    show(state);
  }

  /** The second action of a bid that takes two, at once; false if there is none. */
  function bidRest(message) {
    const wanted = rest;
    rest = undefined;
    const choices = message.actions.flatMap((group) => group.choices ?? [[group.number, group.id]]);
    const found = wanted && choices.find(([amount]) => amount === wanted);
    if (found) act(found[1]);
    return Boolean(found);
  }

  /** Play an action; the controls show at once that it was chosen. */
  function act(action, bid = {}) {
    if (sent) return;
    sent = true;
    rest = bid.rest;
    usual = Math.max(usual, bid.amount ?? 0);
    closePanel(true);
    held ||= actions.contains(document.activeElement);
    actions.classList.add("sent");
    for (const control of actions.querySelectorAll("button, input")) control.disabled = true;
    send({ type: "act", decision: state.decision, action });
  }

  function bidding() {
    return { order: giveOrder, usual, advised: () => coach.bid(state.decision) };
  }
}
