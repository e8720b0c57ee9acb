// What may happen next at a real table: each event is two taps.

import { Bids, numberedOf } from "./bids.js";
import { button, element } from "./dom.js";
import { said, word } from "./words.js";

const CHIPS = 6; // bids that have a button of their own

/** @typedef {Record<string, any>} AdviceEvent an event, as an evening holds it */

/** The panel of what may happen next. */
export class NextEvents {
  /**
   * @param {Server.RealTable} state
   * @param {import("./advice_fields.js").Say} say
   * @param {(event: AdviceEvent, goesOn?: boolean) => Promise<Server.RealTable | null>} add the state then, or null;
   *   whether it goes on from the event before
   */
  constructor(state, say, add) {
    this.state = state;
    this.say = say;
    this.add = add;
  }

  panel() {
    const { state, say } = this;
    const place = element("section", { class: "panel actions yours", "aria-label": say("next") });
    if (state.over) place.append(element("p", {}, word("over")));
    else if (state.sealed.length) place.append(this.sealedBids());
    else {
      const who = state.turn ? say("seat_does", { name: state.seats[state.turn] }) : say("you_do");
      place.append(element("h2", {}, who));
    }
    place.append(...this.bids(numberedOf(state.actions)));
    for (const one of state.actions) if (!one.choices) place.append(this.event(one.text, state.names[one.id]));
    return place;
  }

  /** @param {string} text @param {string} action */
  event(text, action) {
    return button(text, () => this.add({ action }), { "data-event": action });
  }

  /** The least bids as buttons, and a field for any other. In some games a high bid takes two actions.
   * @param {Server.NumberedActions[]} groups */
  bids([group, first]) {
    const { state, say } = this;
    if (!group) return [];
    const input = element("input", { type: "number", inputmode: "numeric", min: group.choices[0][0],
      max: (first ?? group).most, "aria-label": word("amount"), placeholder: word("amount") });
    const other = element("form", { class: "amount", onsubmit: (submitted) => {
      submitted.preventDefault();
      this.bid([group, first], state.names, input.valueAsNumber);
    } }, input, element("button", {}, say("bid")));
    const chips = group.choices.slice(0, CHIPS).map(([amount, id, text]) => button(said(amount),
      () => this.add({ action: state.names[id] }),
      { class: "chip", "aria-label": text, "data-event": state.names[id] }));
    return [...chips, group.choices.length > CHIPS || first ? other : ""];
  }

  /** @param {Server.NumberedActions[]} groups
   * @param {Record<string, string>} names of actions @param {number} amount
   * @param {boolean} goesOn whether it is the second action of a bid */
  async bid(groups, names, amount, goesOn = false) {
    const found = new Bids(groups).find(amount);
    if (!found) return;
    const next = await this.add({ action: names[found.id] }, goesOn);
    if (next && found.rest !== undefined) this.bid(numberedOf(next.actions), next.names, found.rest, true);
  }

  /** A field for the bid of each seat, once they are shown. */
  sealedBids() {
    const { state, say } = this;
    const bidOf = new Map(state.sealed.map(([seat, most]) => [seat, element("input",
      { type: "number", inputmode: "numeric", min: 0, max: most, required: true, id: `bid${seat}` })]));
    const fields = state.seats.map((name, seat) =>
      element("label", { class: "field" }, element("span", {}, name), bidOf.get(seat) ?? null));
    return element("form", { class: "sealed", onsubmit: (submitted) => {
      submitted.preventDefault();
      this.add({ bids: state.seats.map((_, seat) => bidOf.get(seat)?.valueAsNumber) });
    } }, element("h2", {}, say("bids_shown")),
    element("div", { class: "row" }, ...fields, element("button", { class: "primary" }, say("enter"))));
  }
}

/**
 * What an event has to say that it shows: a question in place of the panel.
 * @param {Server.Reveal} needs
 * @param {import("./advice_fields.js").Say} say
 * @param {(shown: string[]) => void} answer
 * @param {() => void} back
 */
export function revealPanel({ asks, least, size, choices }, say, answer, back) {
  /** @type {Set<string>} */
  const chosen = new Set();
  const enough = button(say("enter"), () => answer([...chosen]), { class: "primary", disabled: least > 0 });
  const tap = (/** @type {string} */ id, /** @type {HTMLButtonElement} */ target) => {
    if (least === 1 && size === 1) {
      answer([id]);
      return;
    }
    if (!chosen.delete(id)) chosen.add(id);
    target.setAttribute("aria-pressed", String(chosen.has(id)));
    enough.disabled = chosen.size < least || chosen.size > size;
  };
  const buttons = choices.map(([id, name]) => button(name, (event) => tap(id, event.target),
    { "data-event": id, "aria-pressed": false }));
  return [element("h2", {}, asks), ...buttons, size > 1 || !least ? enough : "",
    button(word("back"), back, { class: "quiet" })];
}
