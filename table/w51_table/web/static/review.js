// After a game: everything that was hidden, the chances over the game, and what the own decisions cost.

import { read } from "./api.js";
import { ChanceChart } from "./chart.js";
import { element } from "./dom.js";
import { exportMenu } from "./exports.js";
import { form } from "./layout.js";
import { costText, practiceList } from "./study.js";
import { word } from "./words.js";

const TURNING = 5; // decisions that are shown first

/**
 * The visitor's place at a finished table; `address` is that of the page that others can open.
 * @typedef {{name: string, seat: number | null, language: string, address: string}} Own
 */

/**
 * Fill a place with the review of a finished table.
 * @param {HTMLElement} place
 * @param {Own} own
 * @param {(review: Server.Review) => void} show called with the picture of everything
 */
export async function showReview(place, own, show) {
  const { name, seat, language } = own;
  place.hidden = false;
  place.replaceChildren(element("h2", {}, word("review")), element("p", { role: "status" }, word("thinking")));
  try {
    const found = await read("review/{name}", { name, query: { language, form: form(), seat: seat ?? "" } });
    show(found);
    const grades = element("div", {}, element("p", { class: "hint", role: "status" }, word("grading"), " ",
      element("progress", { "aria-label": word("grading") })));
    place.replaceChildren(element("h2", {}, word("review")),
      element("p", { class: "row links" },
        element("a", { href: `api/replays/${name}/file`, download: `${name}.json` }, word("save_replay")),
        element("a", { href: "#/" }, word("new_table"))),
      exportMenu(name, language), element("p", { class: "note" }, word("seed_was", { seed: found.seed })), grades);
    await grade(grades, own);
  } catch (error) {
    place.append(element("p", {}, error.message));
  }
}

/** @param {HTMLElement} place @param {Own} own */
async function grade(place, { name, seat, language, address }) {
  const chances = await read("review/{name}/chances", { name, query: { language } });
  const costs = seat === null ? null : await read("review/{name}/{seat}", { name, seat, query: { language } });
  const marks = costs?.costs.slice(0, TURNING).map((one) => one.step) ?? [];
  const chart = new ChanceChart(chances, (step) => { location.hash = `#/replay/${name}/${step}/all`; }, marks);
  place.replaceChildren(chart.element);
  if (costs && seat !== null) {
    place.append(...ownCosts(name, costs), ...practiceList(name, seat, costs.practice, language, address));
  }
}

/** The decisions that cost most, each with a link to it; the others can be opened. @param {string} name
 * @param {Server.Costs} found */
function ownCosts(name, { decisions, costs }) {
  const title = word("costs", { count: costs.length, decisions });
  /** @type {HTMLElement[]} */
  const parts = [element("h3", {}, title)];
  if (costs.length) parts.push(costTable(name, costs.slice(0, TURNING), title));
  if (costs.length > TURNING) {
    const rest = word("more_costs", { count: costs.length - TURNING });
    parts.push(element("details", {}, element("summary", {}, rest), costTable(name, costs.slice(TURNING), rest)));
  }
  return [...parts, element("p", { class: "note" }, word("costs_note"))];
}

/** @param {string} name @param {Server.Cost[]} costs @param {string} title */
function costTable(name, costs, title) {
  const rows = costs.map((one) => element("tr", {},
    element("th", { scope: "row" }, element("a", { href: `#/replay/${name}/${one.step}/all` }, one.where)),
    element("td", {}, one.action), element("td", {}, one.best),
    element("td", {}, costText(one))));
  const head = ["lot", "you", "better", "cost"].map((key) => element("th", { scope: "col" }, word(key)));
  return element("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": title },
    element("table", { class: "differences" }, element("thead", {}, element("tr", {}, ...head)),
      element("tbody", {}, ...rows)));
}
