// The points of all seats with the reason of each number, and what the lot would bring.

import { columnName, element } from "./dom.js";
import { form } from "./layout.js";

const MAX_LETTERS = 20; // of all names, beside the table

/** The elements of a table folded up, below its heading. @param {HTMLElement[]} table */
export function details([heading, ...rest]) {
  return element("details", {}, element("summary", {}, heading.textContent), ...rest);
}

/** The rows of a table; with fewer rows than players, a row for each player: so many columns have room everywhere.
 * @param {Server.ScoreData} score */
function laidOut({ names, rows }) {
  const isTight = form() === "narrow" && names.length > 2 || names.join("").length > MAX_LETTERS;
  if (rows.length >= names.length) return { head: names.map((name) => columnName(name, isTight)), rows };
  return { head: rows.map(([label]) => label), rows: names.map((name, seat) =>
    /** @type {Server.ScoreData["rows"][0]} */ ([name, rows.map(([, cells]) => cells[seat])])) };
}

/** A table of the points: a heading, the table, notes. @param {Server.ScoreData} score @returns {HTMLElement[]} */
export function scoreTable(score) {
  const { title, notes } = score;
  const table = laidOut(score);
  const head = element("tr", {}, element("td"), ...table.head.map((name) => element("th", { scope: "col" }, name)));
  const body = table.rows.map(([label, cells], index) =>
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
