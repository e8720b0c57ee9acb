// After a game: everything that was hidden, the chances over the game, and what the own decisions cost.

import { chanceChart } from "./chart.js";
import { element, form, request, word } from "./dom.js";
import { exportMenu } from "./exports.js";
import { costText, practiceList } from "./study.js";

const TURNING = 5; // decisions that are shown first

/**
 * Fill `place` with the review of a finished table, whose `seat` is the visitor's or null; calls `show(found)` with the
 * picture of everything.
 */
export async function showReview(place, { name, seat, language, address }, show) {
  place.hidden = false;
  place.replaceChildren(element("h2", {}, word("review")), element("p", { role: "status" }, word("thinking")));
  try {
    const found = await request(`api/review/${name}?language=${language}&form=${form()}&seat=${seat ?? ""}`);
    show(found);
    const grades = element("div", {}, element("p", { class: "hint", role: "status" }, word("grading"), " ",
      element("progress", { "aria-label": word("grading") })));
    place.replaceChildren(element("h2", {}, word("review")),
      element("p", { class: "row links" },
        element("a", { href: `api/replays/${name}/file`, download: `${name}.json` }, word("save_replay")),
        element("a", { href: "#/" }, word("new_table"))),
      exportMenu(name, language), element("p", { class: "note" }, word("seed_was", { seed: found.seed })), grades);
    const chances = await request(`api/review/${name}/chances?language=${language}`);
    const costs = seat === null ? null : await request(`api/review/${name}/${seat}?language=${language}`);
    const marks = costs?.costs.slice(0, TURNING).map((one) => one.step) ?? [];
    const { chart } = chanceChart(chances, (step) => { location.hash = `#/replay/${name}/${step}/all`; }, marks);
    grades.replaceChildren(chart, ...(costs ? [...ownCosts(name, costs), ...practiceList(name, seat, costs.practice, language, address)] : []));
  } catch (error) {
    place.append(element("p", {}, error.message));
  }
}

/** The decisions that cost most, each with a link to it; the others can be opened. */
function ownCosts(name, { decisions, costs }) {
  const title = word("costs", { count: costs.length, decisions });
  const parts = [element("h3", {}, title)];
  if (costs.length) parts.push(costTable(name, costs.slice(0, TURNING), title));
  if (costs.length > TURNING) {
    const rest = word("more_costs", { count: costs.length - TURNING });
    parts.push(element("details", {}, element("summary", {}, rest), costTable(name, costs.slice(TURNING), rest)));
  }
  return [...parts, element("p", { class: "note" }, word("costs_note"))];
}

function costTable(name, costs, title) {
  const rows = costs.map((one) => element("tr", {},
    element("th", { scope: "row" }, element("a", { href: `#/replay/${name}/${one.step}/all` }, one.where)),
    element("td", {}, one.action), element("td", {}, one.best),
    element("td", {}, costText(one))));
  const head = ["lot", "you", "better", "cost"].map((key) => element("th", { scope: "col" }, word(key)));
  return element("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": title },
    element("table", { class: "differences" }, element("thead", {}, element("tr", {}, ...head)), element("tbody", {}, ...rows)));
}
