// The points of all seats with the reason of each number, and what the lot would bring.

import { columnName, element } from "./dom.js";
import { form } from "./layout.js";

const MAX_LETTERS = 24; // of all names, beside the table

/** The elements of a table folded up, below its heading. @param {HTMLElement[]} table */
export function details([heading, ...rest]) {
  return element("details", {}, element("summary", {}, heading.textContent), ...rest);
}

/** A table of the points: a heading, the table, notes. @param {Server.ScoreData} score @returns {HTMLElement[]} */
export function scoreTable({ title, names, rows, notes }) {
  const isTight = form() === "narrow" && names.length > 2 || names.join("").length > MAX_LETTERS;
  const head = element("tr", {}, element("td"),
    ...names.map((name) => element("th", { scope: "col" }, columnName(name, isTight))));
  const body = rows.map(([label, cells], index) =>
    element("tr", { "data-line": index }, element("th", { scope: "row" }, label), ...cells.map(cellOf)));
  return [
    element("h2", {}, title),
    element("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": title },
      element("table", { class: "points" }, element("thead", {}, head), element("tbody", {}, ...body))),
    ...notes.map((note) => element("p", { class: "note" }, note)),
  ];
}

/** @param {Server.ScoreCellData} cell */
function cellOf({ text, reason, strong, doubtful }) {
  return element("td", { class: strong ? "strong" : "", title: reason || null },
    element("b", {}, text + (doubtful ? "*" : "")), reason ? element("small", {}, reason) : null);
}
