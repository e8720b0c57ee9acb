// After a game: everything that was hidden, the chances over the game, and what the own decisions cost.

import { read } from "./api.js";
import { ChanceChart } from "./chart.js";
import { element } from "./dom.js";
import { exportMenu } from "./exports.js";
import { form } from "./layout.js";
import { keepPractice } from "./practice.js";
import { costText, practiceList } from "./study.js";
import { percent, titled, word } from "./words.js";

const TURNING = 5; // decisions that are marked in the chart
const NAMED = 3; // mistakes that are told

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
      exportMenu(name, language), element("p", { class: "note" }, word("seed_was", { seed: found.seed })));
    if (!found.judged) return;
    place.append(grades);
    await grade(grades, own);
  } catch (error) {
    place.append(element("p", {}, error.message));
  }
}

/** @param {HTMLElement} place @param {Own} own */
async function grade(place, own) {
  const { name, seat, language } = own;
  const ask = async (/** @type {number} */ asked) => {
    const answer = await read("review/{name}/{seat}", { name, seat: asked, query: { language } });
    keepPractice(name, asked, answer.practice);
    return answer;
  };
  const chart = element("div"), costs = element("div");
  if (seat !== null) place.before(costs);
  const charted = read("review/{name}/chances", { name, query: { language } });
  charted.catch(() => {}); // it is told where it is awaited, if the costs have not failed before
  let found = seat === null ? null : await ask(seat);
  if (found) costs.replaceChildren(...ownCosts(own, found));
  const chances = await charted;
  place.replaceChildren(chart);
  const draw = () => {
    const marks = found?.costs.slice(0, TURNING).map((one) => one.step) ?? [];
    chart.replaceChildren(
      new ChanceChart(chances, (step) => { location.hash = `#/replay/${name}/${step}/all`; }, marks).element);
  };
  draw();
  while (found && seat !== null && !found.refined && place.isConnected) {
    const { whole } = found;
    found = await ask(seat);
    const isRead = costs.contains(document.activeElement) || costs.querySelector("details[open]");
    if (!isRead || found.whole !== whole) costs.replaceChildren(...ownCosts(own, found));
  }
  draw();
}

/** What the decisions of the visitor cost, as far as is known. @param {Own} own @param {Server.Costs} found */
function ownCosts({ name, seat, language, address }, found) {
  const { costs, decisions, loss, error, accuracy, refined, habit } = found;
  const way = loss < 0 ? "ahead" : "behind";
  const sum = accuracy === null ? [word("no_accuracy")] : [word("accuracy", { accuracy: percent(accuracy) }),
    word(way, { decisions, loss: percent(Math.abs(loss)), error: percent(error) })];
  const title = word("other_costs");
  const rest = costs.slice(NAMED);
  return [
    element("p", { class: "accuracy" }, sum.join(" ")), habit && element("p", {}, habit),
    element("h3", {}, word("mistakes")),
    costs.length ? element("ol", { class: "mistakes" }, ...costs.slice(0, NAMED).map((one) => mistake(name, one)))
      : element("p", {}, word("no_mistakes")),
    rest.length ? element("details", {}, element("summary", {}, title), costTable(name, rest, title)) : "",
    element("p", { class: "note", role: "status" }, word(refined ? "costs_note" : "refining")),
    ...seat === null ? [] : practiceList(name, seat, found.practice, language, address),
  ];
}

/** One of the mistakes that mattered most. @param {string} name @param {Server.Cost} one */
function mistake(name, one) {
  return element("li", {}, element("a", { href: `#/replay/${name}/${one.step}/all` }, one.where),
    element("p", {}, `${word("your_choice", { action: one.action })}. ${titled(word("better"), one.best)}.`),
    element("p", { class: "note" }, [one.why, `${titled(word("cost"), costText(one))}.`].filter(Boolean).join(" ")));
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
