// A standing order for one lot: the page bids the least that leads, up to an amount, and then passes.

import { element, word } from "./dom.js";
import { endsLot } from "./staging.js";

const DELAY = 350; // milliseconds in which a bid of the page can still be stopped
const PASS = "pass";

/**
 * An order of a table. `act(id)` plays an action; `changed()` is called when the order was stopped. Returns
 * `give(limit)`, where 0 passes; `see(message)` for each new state; `follow(message)`: whether the order decides here;
 * `status()`: elements that tell of it.
 */
export function standingOrder(act, changed) {
  let limit = null;
  let timer = 0;
  return { give, see, follow, status, isGiven: () => limit !== null };

  function give(amount) {
    limit = amount;
  }

  function stop() {
    clearTimeout(timer);
    limit = null;
  }

  /** A new state of the table: the order ends with its lot. */
  function see(message) {
    if (message.new || message.lots.length || endsLot(message)) stop();
  }

  function follow(message) {
    if (limit === null || !message.actions.length) return false;
    const pass = message.actions.find((group) => group.kind === PASS);
    if (!pass) { // it is not about bids of an open auction any more
      stop();
      return false;
    }
    const [least, id] = bidsOf(message.actions)[0] ?? [Infinity];
    clearTimeout(timer);
    timer = setTimeout(() => act(least <= limit ? id : pass.id), DELAY);
    return true;
  }

  function status() {
    const amount = limit?.toLocaleString(document.documentElement.lang);
    return [element("p", { class: "order", role: "status" }, word(limit ? "order_up_to" : "order_pass", { amount })),
      element("button", { type: "button", id: "stop", onclick: () => {
        stop();
        changed();
      } }, word("order_stop"))];
  }
}

/** The bids among groups of actions as [amount, id], the least first. */
export function bidsOf(groups) {
  const bids = groups.filter((group) => group.kind !== PASS && (group.choices || group.number !== null));
  return bids.flatMap((group) => group.choices ?? [[group.number, group.id]]).sort(([a], [b]) => a - b);
}
