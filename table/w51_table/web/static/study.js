// To study a game: all decisions as a list with the costly ones marked, and any of them made again at a new table.

import { percent } from "./chart.js";
import { element, report, request, word } from "./dom.js";
import { copyButton } from "./seats.js";
import { remember } from "./tables.js";

/** Make the decision of a `step` again at a new table, or with an `action` watch how agents play on after it. */
export async function again(name, step, action, language) {
  try {
    const made = await request(`api/replays/${name}/${step}/again?language=${language}`, { method: "POST", body: JSON.stringify({ action }) });
    if (made.token) remember({ table: made.table, token: made.token });
    location.hash = made.token ? `#/table/${made.table}/${made.token}` : `#/replay/${made.table}/${made.step}/all`;
  } catch (error) {
    report(error.message);
  }
}

/** The decisions that are most worth another try, each as what its seat saw; nothing if there are none. */
export function practiceList(name, seat, positions, language, address) {
  if (!positions.length) return [];
  const items = positions.map(({ step, where }) => {
    const place = `#/replay/${name}/${step}/${seat}`;
    return element("li", {}, element("a", { href: place }, where), element("span", { class: "row" },
      element("button", { type: "button", onclick: () => again(name, step, null, language) }, word("try_again")),
      copyButton(`${address}/${place}`, word("practice_link"), `practice-${step}`)));
  });
  return [element("h3", {}, word("practice")), element("ol", { class: "practice" }, ...items)];
}

/** How much a costly decision cost, with its interval and in points. */
export function costText({ cost, error, points }) {
  const [low, high] = [cost - 2 * error, cost + 2 * error].map((end) => percent(end));
  const signed = points.toLocaleString(document.documentElement.lang, { signDisplay: "always", maximumFractionDigits: 1 });
  return `${percent(cost)} (${low} – ${high}), ${word("points_more", { points: signed })}`;
}

/** The panel beside a replay. `load(about)` fills it, `show(step)` marks a step; a click in the list calls `go(step)`. */
export function studyPanel(name, language, go) {
  const said = element("p", { role: "status" }), price = element("p", { "aria-live": "polite" });
  const retry = element("button", { type: "button", id: "retry", onclick: () => again(name, shown, null, language) }, word("try_again"));
  const better = element("button", { type: "button", id: "better", onclick: () => again(name, shown, costs.get(shown).better, language) });
  const finders = element("p", { class: "row" });
  const list = element("ol", { class: "moves", start: 0 });
  const moves = element("details", { ontoggle: fill }, element("summary", {}, word("moves")), list);
  const panel = element("section", { class: "panel study", "aria-label": word("study"), hidden: true },
    element("h2", {}, word("study")), element("p", { class: "row" }, retry, better), price, said, finders, moves);
  const costs = new Map(); // by step
  let about = null, shown = 0;
  return { panel, load, show };

  function load(found) {
    const first = !about?.over && found.over;
    about = found;
    panel.hidden = false;
    if (first) {
      finders.replaceChildren(...about.names.map((seat, index) => finder(seat, index)));
      if (about.people.length === 1) finders.children[about.people[0]].click();
    }
    fill();
  }

  function finder(seat, index) {
    const button = element("button", { type: "button", class: "quiet", onclick: async () => {
      button.disabled = true;
      said.textContent = word("grading");
      try {
        const found = await request(`api/review/${name}/${index}?language=${language}`);
        for (const one of found.costs) costs.set(one.step, one);
        said.textContent = word("costs_found", { name: seat, count: found.costs.length, decisions: found.decisions });
        button.remove();
        mark();
        tell();
      } catch (error) {
        button.disabled = false;
        said.textContent = error.message;
      }
    } }, word("find_costs", { name: seat }));
    return button;
  }

  /** Fill the list, if it is open, with the decisions that are new. */
  async function fill() {
    if (!moves.open || !about || list.childElementCount >= about.steps - 1) return;
    const found = await request(`api/replays/${name}/moves?language=${language}`).catch((error) => report(error.message));
    if (!found) return;
    list.replaceChildren(...found.moves.map(([seat, text], step) => element("li", {},
      element("button", { type: "button", class: `quiet s${seat}`, onclick: () => go(step) }, `${about.names[seat]}: ${text}`))));
    mark();
    show(shown);
  }

  function mark() {
    for (const [step, one] of costs) {
      const item = list.children[step];
      if (!item || item.classList.contains("costly")) continue;
      item.classList.add("costly");
      item.append(element("small", {}, word("move_cost", { action: one.best, cost: percent(one.cost) })));
    }
  }

  function show(step) {
    shown = step;
    list.querySelector("[aria-current]")?.removeAttribute("aria-current");
    const item = list.children[step];
    item?.setAttribute("aria-current", "step");
    if (item) list.scrollTop = item.offsetTop - list.offsetTop - list.clientHeight / 2;
    tell();
  }

  /** What can be done at the step that is shown, and what it cost. */
  function tell() {
    const found = costs.get(shown);
    retry.hidden = Boolean(about?.over) && shown >= about.steps - 1;
    better.hidden = price.hidden = !found;
    if (!found) return;
    better.textContent = word("see_better", { action: found.best });
    price.textContent = `${word("move_cost", { action: found.best, cost: costText(found) })}.`;
  }
}
