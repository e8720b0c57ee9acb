// What each seat must believe of hidden cards, and what the agent would do if it knew more.

import { columnName, element } from "./dom.js";
import { percent, word } from "./words.js";

/** The elements that show `found`. @param {Server.Beliefs} found */
export function beliefsOf({ names, rows, alternatives }) {
  const head = [element("td"), ...names.map((name) => element("th", { scope: "col" }, columnName(name)))];
  const body = rows.map(([name, chances]) => element("tr", {}, element("th", { scope: "row" }, name),
    ...chances.map((chance) => element("td", { class: chance === 1 ? "strong" : "" },
      element(chance === 1 ? "b" : "span", {}, percent(chance, 1))))));
  return [
    ...alternatives.map(({ text, title, value, choices }) =>
      element("p", {}, `${text} ${title}${shareOf(choices)}${value && `, ${value}`}.`)),
    element("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": word("beliefs") },
      element("table", { class: "points" }, element("thead", {}, element("tr", {}, ...head)),
        element("tbody", {}, ...body))),
    element("p", { class: "note" }, word("beliefs_note")),
  ];
}

/** The probability of the chosen action in brackets; nothing if there are none. @param {Server.ChoiceData[]} choices */
function shareOf(choices) {
  const share = choices.find((choice) => choice.chosen)?.probability ?? null;
  return share === null ? "" : ` (${percent(share, 1)})`;
}

/** The relics by how likely their counterfeit cards are in a gap, the likeliest first.
 * @param {[string, number[]][]} rows */
export function rankedBeliefs(rows) {
  /** @type {Map<number, string[]>} */
  const named = new Map();
  for (const [name, [chance]] of rows) named.set(chance, [...named.get(chance) ?? [], name]);
  const groups = [...named].sort(([one], [other]) => other - one);
  return element("dl", { class: "beliefs" }, ...groups.flatMap(([chance, names]) =>
    [element("dt", {}, percent(chance, 1)), element("dd", {}, names.join(", "))]));
}
