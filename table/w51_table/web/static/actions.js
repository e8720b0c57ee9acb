// The controls of the legal actions: a button for each, and one control for all bids.

import { Bids, doubt, numberedOf } from "./bids.js";
import { button, element, find, findAll } from "./dom.js";
import { stored } from "./storage.js";
import { has, said, word } from "./words.js";

const FEW = 2; // bids that are buttons, and no field

/** @typedef {{rest?: number, amount?: number}} Bid the whole bid, if the action is its first part only; its amount */
/**
 * What controls do: `choose` plays an action, `order` bids up to an amount in an open auction; `usual` is the highest
 * own bid so far, `advised()` promises the bid that the coach would make; `typed` is the amount that was typed at this
 * decision before the page was loaded again, and `keep` keeps one.
 * @typedef {{choose: (action: number, bid?: Bid) => void, order: (limit: number) => void, usual: number,
 *   advised: () => Promise<number>, typed: number | undefined, keep: (amount: number) => void}} Deciding
 */

export function asksAgain() {
  return stored("confirm", true);
}

/** The controls for groups of actions, of which one is used once. @param {Server.ActionGroup[]} groups
 * @param {Deciding} deciding */
export function actionPanel(groups, deciding) {
  const panel = new ActionPanel(groups, deciding);
  return panel.elements();
}

class ActionPanel {
  /** @param {Server.ActionGroup[]} groups @param {Deciding} deciding */
  constructor(groups, deciding) {
    this.deciding = deciding;
    this.isDone = false;
    this.isOpen = groups.some((group) => group.kind === "pass");
    /** @type {Server.NumberedActions[]} */
    this.numbers = numberedOf(groups);
    /** @type {Server.SingleAction[]} */
    this.single = groups.filter((group) => group.choices === undefined);
    const few = this.isOpen ? this.single.filter((group) => group.number !== null && group.kind !== "pass") : [];
    if (few.length > FEW) {
      this.numbers = [{ kind: few[0].kind, choices: few.map(({ number, id, text }) => [number ?? 0, id, text]),
        most: few.at(-1)?.number ?? 0 }];
      this.single = this.single.filter((group) => !few.includes(group));
    }
    // the only bid is not asked about
    this.most = few.length > 1 ? Math.max(...few.map((one) => one.number ?? 0)) : Infinity;
  }

  elements() {
    const buttons = this.single.map((action) => this.button(action));
    return this.numbers.length ? [new BidForm(this, new Bids(this.numbers)).element, ...buttons] : buttons;
  }

  /** Play an action, or give an order, once. @param {() => void} act */
  once(act) {
    if (this.isDone) return;
    this.isDone = true;
    act();
  }

  /** @param {Server.SingleAction} action */
  button(action) {
    const act = () => this.once(() => this.deciding.choose(action.id, { amount: action.number ?? 0 }));
    const made = button(action.text, () => this.check(action.number ?? 0, this.most, made, action.text, act),
      { "data-kind": action.kind, "data-action": action.id, "data-glows": isInPicture(action) });
    return made;
  }

  /** Act, or ask about a bid first, in place of its control. @param {number} amount @param {number} most
   * @param {HTMLElement} control @param {string | null} text @param {() => void} act */
  async check(amount, most, control, text, act) {
    const { usual, advised } = this.deciding;
    const asked = asksAgain() ? doubt(amount, most, usual, advised) : null;
    const question = asked === null ? null : await asked;
    if (question === null) act();
    else confirm(control, question, text ?? "", act);
  }
}

/** Whether a part of the picture beside the lot may stand for an action. @param {Server.ActionGroup} action */
const isInPicture = ({ part }) => Boolean(part) && part !== "lot";

/** Ask a question in place of a control. @param {HTMLElement} control @param {string} question @param {string} text
 * @param {() => void} act */
function confirm(control, question, text, act) {
  const yes = button(word("confirm_yes", { action: text }), act, { class: "primary", "data-confirm": "yes" });
  const no = button(word("confirm_no"), () => {
    row.replaceWith(control);
    (control.matches("button") ? control : find(control, "input")).focus();
  }, { "data-confirm": "no" });
  const row = element("span", { class: "confirm", role: "group", "aria-label": word(question) },
    element("b", {}, word(question)), yes, no);
  control.replaceWith(row);
  yes.focus();
}

/** A field for the amount of a bid, with chips. */
class BidForm {
  /** @param {ActionPanel} panel @param {Bids} bids */
  constructor(panel, bids) {
    this.panel = panel;
    this.bids = bids;
    const { least, most, step, own } = bids;
    const value = panel.deciding.typed ?? least;
    this.input = element("input", { type: "number", min: least, max: most, step, value, inputmode: "numeric",
      "aria-label": word("amount"), oninput: () => this.changed() });
    this.submit = element("button", { type: "submit", class: "primary", "data-kind": own.kind });
    this.element = element("form", { class: "amount", "data-kind": own.kind, novalidate: true,
      onsubmit: (event) => this.choose(event) },
    this.input, this.chip(word("least"), () => least), this.plus(1), this.plus(5),
    this.chip(word("all_money"), () => most), this.submit);
    this.upTo = element("button", { type: "button", id: "up-to", title: word("up_to_about"), onclick: () => {
      this.ask(this.upTo, () => panel.deciding.order(this.amount));
    } });
    if (panel.isOpen) this.element.append(this.upTo);
    this.show();
  }

  get amount() {
    return Number(this.input.value);
  }

  /** @param {string} text @param {(now: number) => number} change */
  chip(text, change) {
    const { least, most } = this.bids;
    return button(text, () => {
      this.input.value = String(Math.max(least, Math.min(most, change(this.amount || 0))));
      this.changed();
    }, { class: "chip" });
  }

  /** @param {number} count of steps */
  plus(count) {
    const more = count * this.bids.step;
    return this.chip(`+${said(more)}`, (now) => now + more);
  }

  /** @param {Event} event */
  choose(event) {
    event.preventDefault();
    const { amount } = this;
    const found = this.bids.find(amount);
    if (found) this.ask(this.submit, () => this.panel.deciding.choose(found.id, { rest: found.rest, amount }));
  }

  /** @param {HTMLElement} control @param {() => void} act */
  ask(control, act) {
    const { least, most } = this.bids;
    const amount = most > least ? this.amount : 0; // the only bid is not asked about
    this.panel.check(amount, most, this.element, control.textContent, () => this.panel.once(act));
  }

  changed() {
    this.panel.deciding.keep(this.amount);
    this.show();
  }

  show() {
    const { least, most, own } = this.bids;
    const found = this.bids.find(this.amount);
    this.submit.disabled = this.upTo.disabled = found === null;
    this.submit.textContent = found ? found.text ?? own.choices[0][2].replace(/\d[\d.,\u00a0]*/, said(this.amount))
      : word("bid_range", { least: said(least), most: said(most) });
    if (found) this.submit.dataset.action = String(found.id);
    this.upTo.textContent = word("up_to", { amount: said(this.amount) });
  }
}

/**
 * What glows in the picture needs no button among `actions`, where there is little room; a sentence says what a tap
 * does. `places` are the picture and what is below the fold, which `show(part)` shows.
 * @param {HTMLElement} actions
 * @param {Server.ActionGroup[]} groups
 * @param {(HTMLElement | undefined)[]} places
 * @param {(part: string) => void} show
 */
export function leaveToPicture(actions, groups, places, show) {
  actions.classList.add("placed"); // before that, they would be there for a moment
  const [here, below] = places.map((place) => (place ? findAll(place, ".open") : []).map((area) => area.dataset.part));
  const left = groups.filter((group) => isInPicture(group) && [...here, ...below].includes(group.part));
  for (const { id } of left) actions.querySelector(`:scope > [data-action="${id}"]`)?.remove();
  if (!left.length || actions.querySelector(".tap")) return;
  const hidden = left.find(({ part }) => !here.includes(part))?.part;
  const kinds = [...new Set(left.map(({ kind }) => (has(`tap.${kind}`) ? kind : "other")))];
  kinds.sort((one, other) => Number(one === "pawn") - Number(other === "pawn"));
  actions.prepend(element("p", { class: "tap" }, kinds.map((kind) => word(`tap.${kind}`)).join(" ")),
    hidden ? button(word("tap.find"), () => show(hidden), { class: "quiet", id: "find" }) : "");
}
