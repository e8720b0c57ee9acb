// The points of all seats with the reason of each number, and what the lot would bring.

import { columnName, element, form } from "./dom.js";

const MAX_LETTERS = 24; // of all names, beside the table

/** The elements of a table folded up, below its heading. */
export function details([heading, ...rest]) {
  return element("details", {}, element("summary", {}, heading.textContent), ...rest);
}

/** A table of the points, as the server sends it. */
export function scoreTable({ title, names, rows, notes }) {
  const isTight = form() === "narrow" && names.length > 2 || names.join("").length > MAX_LETTERS;
  const head = element("tr", {}, element("td"), ...names.map((name) => element("th", { scope: "col" }, columnName(name, isTight))));
  const body = rows.map(([label, cells], index) => element("tr", { "data-line": index }, element("th", { scope: "row" }, label),
    ...cells.map((cell) => element("td", { class: cell.strong ? "strong" : "", title: cell.reason || null },
      element("b", {}, cell.text + (cell.doubtful ? "*" : "")), cell.reason ? element("small", {}, cell.reason) : null))));
  return [
    element("h2", {}, title),
    element("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": title },
      element("table", { class: "points" }, element("thead", {}, head), element("tbody", {}, ...body))),
    ...notes.map((note) => element("p", { class: "note" }, note)),
  ];
}
