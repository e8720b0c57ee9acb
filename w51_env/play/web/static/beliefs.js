// What each seat must believe of hidden cards, and what the agent would do if it knew more.

import { percent } from "./chart.js";
import { element, word } from "./dom.js";

/** The elements that show `found`, as the server sends it. */
export function beliefsOf({ names, rows, alternatives }) {
  const head = ["", ...names].map((name) => element("th", { scope: "col" }, name));
  const body = rows.map(([name, chances]) => element("tr", {}, element("th", { scope: "row" }, name),
    ...chances.map((chance) => element("td", { class: chance === 1 ? "strong" : "" }, percent(chance, 1)))));
  return [
    ...alternatives.map(({ text, title }) => element("p", {}, `${text} ${title}.`)),
    element("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": word("beliefs") },
      element("table", { class: "points" }, element("thead", {}, element("tr", {}, ...head)), element("tbody", {}, ...body))),
    element("p", { class: "note" }, word("beliefs_note")),
  ];
}
