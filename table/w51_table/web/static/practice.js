// Own decisions to practise, of the games that were reviewed last; this browser remembers them.

import { element } from "./dom.js";
import { store, stored } from "./storage.js";
import { word } from "./words.js";

const MOST = 9;

/** @typedef {{name: string, seat: number, step: number, where: string}} Kept a decision of a seat of a table */

/** @returns {Kept[]} */
function kept() {
  const found = stored("practice", /** @type {Kept[]} */ ([]));
  return Array.isArray(found) ? found : [];
}

/** The decision as its seat saw it. @param {string} name @param {number} step @param {number} seat */
export const placeOf = (name, step, seat) => `#/replay/${name}/${step}/${seat}`;

/** Remember the decisions of a game. @param {string} name @param {number} seat
 * @param {readonly Server.PracticeStep[]} steps */
export function keepPractice(name, seat, steps) {
  const own = steps.map(({ step, where }) => ({ name, seat, step, where }));
  store("practice", [...own, ...kept().filter((one) => one.name !== name)].slice(0, MOST));
}

/** The list of the start page, or nothing. */
export function keptPractice() {
  const items = kept().map(({ name, seat, step, where }) =>
    element("li", {}, element("a", { href: placeOf(name, step, seat) }, where)));
  return items.length ? [element("section", { class: "panel own-practice" }, element("h2", {}, word("practice")),
    element("ul", { class: "tables" }, ...items))] : [];
}
