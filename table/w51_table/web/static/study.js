// To study a game: all decisions as a list with the costly ones marked, and any of them made again at a new table.

import { change, read } from "./api.js";
import { button, copyButton, element, report } from "./dom.js";
import { placeOf } from "./practice.js";
import { remember } from "./tables.js";
import { percent, said, word } from "./words.js";

const LOOK_AFTER = 250; // milliseconds at one step

/** Make the decision of a step again at a new table, or with an action watch how agents play on after it.
 * @param {string} name @param {number} step @param {number | null} action @param {string} language */
async function again(name, step, action, language) {
  try {
    const made = await change("replays/{name}/{step}/again",
      { name, step, query: { language }, body: JSON.stringify({ action }) });
    if (made.token) remember({ table: made.table, token: made.token });
    const page = made.token ? `#/table/${made.table}/${made.token}` : `#/replay/${made.table}/${made.step}/all`;
    location.hash = page;
  } catch (error) {
    report(error.message);
  }
}

/** The decisions that are most worth another try, each as what its seat saw; nothing if there are none.
 * @param {string} name @param {number} seat @param {Server.PracticeStep[]} steps @param {string} language
 * @param {string} address */
export function practiceList(name, seat, steps, language, address) {
  if (!steps.length) return [];
  const items = steps.map(({ step, where, action }) => {
    const place = placeOf(name, step, seat);
    return element("li", {}, element("a", { href: place }, where), " ",
      word("your_choice", { action }), element("span", { class: "row" },
      button(word("try_again"), () => again(name, step, null, language)),
      copyButton(`${address}/${place}`, word("practice_link"), `practice-${step}`)));
  });
  return [element("h3", {}, word("practice")), element("ol", { class: "practice" }, ...items)];
}

/** How much a costly decision cost, with its interval and in points. @param {Server.Cost} found */
export function costText({ cost, error, points }) {
  const [low, high] = [cost - 2 * error, cost + 2 * error].map((end) => percent(end));
  const signed = said(points, { signDisplay: "always", maximumFractionDigits: 1 });
  return `${percent(cost)} (${low} – ${high}), ${word("points_more", { points: signed })}`;
}

/** The panel beside a replay; a click in its list calls `go(step)`. */
export class StudyPanel {
  shown = 0;
  /** @type {Server.ReplayAbout | null} */
  about = null;
  /** @type {Map<number, Server.Cost>} */
  costs = new Map(); // by step
  /** @type {Map<number, Server.Looked>} */
  looked = new Map(); // by step, what was looked at alone
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  timer;
  status = element("p", { role: "status" });
  price = element("p", { "aria-live": "polite" });
  finders = element("p", { class: "row" });
  list = element("ol", { class: "moves", start: 0 });
  moves = element("details", { ontoggle: () => this.fill() }, element("summary", {}, word("moves")), this.list);

  /** @param {string} name @param {string} language @param {(step: number) => void} go */
  constructor(name, language, go) {
    this.name = name;
    this.language = language;
    this.go = go;
    this.retry = button(word("try_again"), () => again(name, this.shown, null, language), { id: "retry" });
    this.better = button("", () => again(name, this.shown, this.costs.get(this.shown)?.better ?? null, language),
      { id: "better" });
    this.panel = element("section", { class: "panel study", "aria-label": word("study"), hidden: true },
      element("h2", {}, word("study")), element("p", { class: "row" }, this.retry, this.better), this.price,
      this.status, this.finders, this.moves);
  }

  /** Take over what the server says of the game. @param {Server.ReplayAbout} found */
  load(found) {
    const isFirst = !this.about?.over && found.over;
    this.about = found;
    this.panel.hidden = false;
    if (isFirst) {
      const finders = found.names.map((seat, index) => this.finder(seat, index));
      this.finders.replaceChildren(...finders);
      if (found.people.length === 1) finders[found.people[0]].click();
    }
    this.fill();
  }

  /** @param {string} seat name of it @param {number} index */
  finder(seat, index) {
    const { name, language, status } = this;
    const made = button(word("find_costs", { name: seat }), async () => {
      made.disabled = true;
      status.textContent = word("grading");
      try {
        const ask = () => read("review/{name}/{seat}", { name, seat: index, query: { language } });
        let found = await ask();
        while (!found.whole) found = await ask();
        const { costs, decisions } = found;
        for (const one of costs) if (!this.looked.has(one.step)) this.costs.set(one.step, one);
        status.textContent = word("costs_found", { name: seat, count: costs.length, decisions });
        made.remove();
        this.mark();
        this.tell();
      } catch (error) {
        made.disabled = false;
        status.textContent = error.message;
      }
    }, { class: "quiet" });
    return made;
  }

  /** Fill the list, if it is open, with the decisions that are new. */
  async fill() {
    const { about, list, name, language } = this;
    if (!this.moves.open || !about || list.childElementCount >= about.steps - 1) return;
    const found = await read("replays/{name}/moves", { name, query: { language } })
      .catch((error) => report(error.message));
    if (!found) return;
    list.replaceChildren(...found.moves.map(([seat, text], step) => element("li", {},
      button(`${about.names[seat]}: ${text}`, () => this.go(step), { class: `quiet s${seat}` }))));
    this.mark();
    this.show(this.shown);
  }

  mark() {
    for (const [step, item] of [...this.list.children].entries()) {
      const one = this.costs.get(step);
      item.classList.toggle("costly", Boolean(one));
      item.querySelector("small")?.remove();
      if (one) item.append(element("small", {}, word("move_cost", { action: one.best, cost: percent(one.cost) })));
    }
  }

  /** Mark a step. @param {number} step */
  show(step) {
    const { list } = this;
    this.shown = step;
    list.querySelector("[aria-current]")?.removeAttribute("aria-current");
    const item = /** @type {HTMLElement | undefined} */ (list.children[step]);
    item?.setAttribute("aria-current", "step");
    if (item) list.scrollTop = item.offsetTop - list.offsetTop - list.clientHeight / 2;
    this.tell();
    clearTimeout(this.timer);
    if (this.about?.over && !this.retry.hidden) this.timer = setTimeout(() => this.look(step), LOOK_AFTER);
  }

  /** Learn what the decision of a step cost, surer and surer as long as it is shown. @param {number} step */
  async look(step) {
    const { name, language, looked } = this;
    try {
      while (this.shown === step && this.panel.isConnected && !looked.get(step)?.settled) {
        const found = await read("review/{name}/steps/{step}", { name, step, query: { language } });
        looked.set(step, found);
        if (found.mistake) this.costs.set(step, found.found);
        else this.costs.delete(step);
        this.mark();
        if (this.shown === step) this.tell();
      }
    } catch (error) {
      if (this.shown === step) this.status.textContent = error.message;
    }
  }

  /** What can be done at the step that is shown, and what it cost. */
  tell() {
    const { about, shown } = this;
    const found = this.costs.get(shown), looked = this.looked.get(shown);
    this.retry.hidden = Boolean(about?.over) && shown >= (about?.steps ?? 0) - 1;
    this.better.hidden = !found;
    this.price.hidden = !found && !looked;
    this.price.classList.toggle("old", Boolean(looked && !looked.settled));
    if (found) {
      this.better.textContent = word("see_better", { action: found.best });
      const cost = `${word("move_cost", { action: found.best, cost: costText(found) })}.`;
      this.price.textContent = [cost, found.why].filter(Boolean).join(" ");
    } else if (looked) {
      const { cost, error } = looked.found;
      this.price.textContent = cost ? word("no_clear_cost", { cost: percent(cost), error: percent(2 * error) })
        : word("nothing_better");
    }
  }
}
