// Fields that the forms of positions of both games have.

import { element, labelled } from "./dom.js";

/**
 * What a form of a game reads: the untouched table, and what is chosen; `found` has the selected values.
 * @typedef {Server.BlankPosition & {count: number, running: boolean, names: string[], found: Record<string, any>,
 *   chosen: (key: string, options: [string, string][], label: string) => import("./dom.js").Labelled,
 *   later: () => void, draw: () => void}} Asked
 */
/** @typedef {(key: string, values?: Record<string, any>) => string} Say the words of a page */
/**
 * A position, as the server writes it.
 * @typedef {{[name: string]: any, relics?: string[][], gaps?: Record<string, string[]>, unsold?: string[],
 *   pawned?: string[], face_up?: string[], gone?: string[], objects?: Record<string, number>[]}} Position
 */

/** A draft with another number of players: those who stay keep what they have. What the form does not ask is left out.
 * @param {import("./advice_form.js").Begun} draft @param {number} count @returns {import("./advice_form.js").Begun} */
export function fitted({ names, position, found = {}, ...rest }, count) {
  const old = names.length;
  const first = (/** @type {any[] | undefined} */ each) => each?.slice(0, count);
  const who = (/** @type {number | null | undefined} */ seat, /** @type {0 | null} */ none) =>
    typeof seat === "number" && seat < count ? seat : none;
  const seats = { revealer: who(found.revealer, 0), selector: who(found.selector, 0), leader: who(found.leader, null),
    to_move: who(found.to_move, null),
    passed: (found.passed ?? []).filter((/** @type {number} */ one) => one < count) };
  const kept = Object.fromEntries(Object.entries(seats).filter(([key]) => key in found));
  const { relics, ingots, money, lacks, objects, gaps, unsold, pawned, lot, card, face_up, gone } = position ?? {};
  const beside = gaps && { 0: gaps[0] ?? [], [count - 1]: gaps[old - 1] ?? [] };
  const fields = { relics: first(relics), ingots: first(ingots), money: first(money), lacks: first(lacks),
    objects: first(objects), gaps: beside, unsold, pawned, lot, card, face_up, gone };
  const known = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
  return { ...rest, names: names.slice(0, count), position: position && known,
    found: { bid: found.bid ?? 0, ...kept } };
}

/** Letters without marks and case, by which names are found. @param {string} text */
export const plain = (text) => text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();

/** Buttons that say what a tap means. @param {[string, string][]} brushes @param {string} chosen
 * @param {(id: string) => void} choose */
export function brushButtons(brushes, chosen, choose) {
  return element("div", { class: "brushes" }, ...brushes.map(([id, text]) => element("button", {
    type: "button", id: `brush-${id}`, "aria-pressed": String(id === chosen), onclick: () => choose(id),
  }, text)));
}

/**
 * A field for a number, with its names in a position, so that a mistake is said there; `set` takes what is entered.
 * @param {string} label
 * @param {string} id
 * @param {number} value
 * @param {string} names
 * @param {(entered: number) => void} set
 */
export function numberField(label, id, value, names, set) {
  return labelled(label, element("input", { type: "number", inputmode: "numeric", min: 0, id, value,
    "data-field": names, oninput: (event) => set(event.target.valueAsNumber || 0) }));
}

/** A field for a number of each seat; `values` is changed. @param {string} name @param {number[]} values
 * @param {(seat: number) => string} label */
export function numberFields(name, values, label) {
  return values.map((value, seat) => numberField(label(seat), `${name}${seat}`, value, `${name}[${seat}] ${name}`,
    (entered) => { values[seat] = entered; }));
}

/** The standing bid, which `label` names, who made it, who bids next, and who has passed. @param {Asked} form
 * @param {string} label @param {Say} say */
export function bidFields({ names, found, chosen, draw }, label, say) {
  const seats = seatOptions(names);
  const leader = chosen("leader", [["null", "–"], ...seats], say("leader"));
  leader.control.disabled = !found.bid;
  /** @param {string} name @param {number} seat */
  const passed = (name, seat) => element("label", { class: "check" }, element("input", {
    type: "checkbox", checked: found.passed.includes(seat), onchange: (event) => {
      const others = found.passed.filter((/** @type {number} */ one) => one !== seat);
      found.passed = event.target.checked ? [...others, seat] : others;
      draw();
    } }), name);
  return [element("div", { class: "row" },
    numberField(label, "standing", found.bid, "bid", (entered) => {
      found.bid = entered;
      leader.control.disabled = !entered;
      if (entered) return;
      found.leader = null;
      leader.control.value = "null";
    }),
    leader,
    chosen("to_move", [["null", say("next_one")], ...seats], say("to_move"))),
  element("fieldset", {}, element("legend", {}, say("passed")),
    element("div", { class: "row" }, ...names.map(passed)))];
}

/** The seats by name, for a selection. @param {string[]} names @returns {[string, string][]} */
export const seatOptions = (names) => names.map((name, seat) => [String(seat), name]);

/** The seat that bids next: the first that has not passed, after the one who leads, else from a seat on.
 * @param {Pick<Asked, "count" | "found">} form @param {number} from */
export function nextOne({ count, found }, from) {
  const first = found.leader === null ? from : found.leader + 1;
  const order = Array.from({ length: count }, (_, step) => (first + step) % count);
  return order.find((seat) => !found.passed.includes(seat)) ?? from % count;
}
