// A game at a real table: what happens there is entered, and an agent advises. The browser keeps the evening.

import { PositionForm, hasForm } from "./advice_form.js";
import { NextEvents, revealPanel } from "./advice_next.js";
import { change, read } from "./api.js";
import { rankedBeliefs } from "./beliefs.js";
import { button, element, find, report, select, setTitle } from "./dom.js";
import { saveJson } from "./files.js";
import { form } from "./layout.js";
import { showPicture } from "./picture.js";
import { scoreTable } from "./score.js";
import { store, stored } from "./storage.js";
import { thoughtsOf } from "./thoughts.js";
import { fill, word } from "./words.js";

/** @typedef {import("./advice_form.js").Evening} Evening */
/** @typedef {import("./advice_form.js").Begun} Begun */

const KEPT = "advice"; // the evening in the storage of the browser
/** @type {Begun | null} */
let draft = null; // what was in the form when the page was drawn again, in another language or layout

/** The page: the form of a position, or the table as it is now.
 * @param {HTMLElement} main @param {Server.Offer} offer */
export function showAdvice(main, offer) {
  const page = new AdvicePage(main, offer);
  page.begin();
  return () => page.leave();
}

class AdvicePage {
  /** @type {Record<string, string>} */
  texts = {};
  /** @type {[string, string][]} */
  agents = [];
  first = ""; // who answers at once
  shown = 0; // number of the state that was asked for last
  /** @type {PositionForm | null} */
  form = null;

  /** @param {HTMLElement} main @param {Server.Offer} offer */
  constructor(main, offer) {
    this.main = main;
    this.offer = offer;
    this.games = offer.games.filter(({ id }) => hasForm(id));
    this.evening = stored(KEPT, /** @type {Evening | null} */ (null));
    this.known = draft ?? this.evening;
    this.game = this.known?.position?.game ?? this.games[0].id;
    /** @type {import("./advice_fields.js").Say} */
    this.say = (key, values) => fill(this.texts[key] ?? key, values);
  }

  leave() {
    this.shown = -1;
    if (!location.hash.startsWith("#/advice")) draft = null;
    else if (this.main.childElementCount) { // else it is not yet drawn
      draft = this.form?.form.isConnected ? this.form.draft() : null;
    }
  }

  async begin() {
    let blank;
    try {
      blank = await this.blank(this.game, this.known?.position?.options?.num_players ?? "");
    } catch (error) {
      report(error.message);
      return;
    }
    if (this.shown < 0) return;
    this.texts = blank.words;
    ({ agents: this.agents, first: this.first } = blank);
    setTitle(this.say("title"));
    if (this.evening && !draft) this.draw();
    else this.enter(blank, draft);
  }

  get query() {
    return { language: this.offer.language, form: form() };
  }

  /** An empty form. @param {string} game @param {number | string} players */
  blank(game, players) {
    return read("advice/{game}", { game, query: { players, ...this.query } });
  }

  /** @param {Evening} evening */
  ask(evening) {
    return change("advice", { query: this.query, body: JSON.stringify(evening) });
  }

  /** The form, filled in with an evening or empty. @param {Server.BlankPosition} blank @param {Begun | null} before */
  enter(blank, before) {
    const { games, game, say } = this;
    this.form = new PositionForm({ games, game, blank, before, say, done: (found) => this.take(found),
      load: (file) => this.load(file), change: (other, players, begun) => this.change(other, players, begun) });
    this.main.replaceChildren(element("h1", {}, say("title")), this.form.form);
  }

  /** The form of a game, with what is known. @param {string} other
   * @param {number | string} players @param {Begun} begun */
  async change(other, players = "", begun = { names: [], position: null }) {
    const blank = await this.blank(other, players);
    this.game = other;
    ({ agents: this.agents, first: this.first } = blank);
    this.enter(blank, begun);
  }

  /** Take a new position, if it is possible; the server says what contradicts itself. @param {Evening} found */
  async take(found) {
    await this.ask(found);
    const other = found.position.game;
    if (other !== this.game) ({ agents: this.agents, first: this.first } = await this.blank(other, ""));
    this.keep(found);
    this.draw();
  }

  /** @param {File} file */
  async load(file) {
    const found = JSON.parse(await file.text());
    if (!found?.position && !found?.game) throw new SyntaxError(file.name); // it is something else
    await this.take({ names: [], events: [], ...("position" in found ? found : { position: found }) });
  }

  /** @param {Evening} found */
  keep(found) {
    this.evening = found;
    ({ game: this.game } = found.position);
    store(KEPT, found);
  }

  /** The table as it is now. */
  async draw() {
    const { evening } = this;
    if (!evening) return;
    this.shown += 1;
    const mine = this.shown;
    let state;
    try {
      state = await this.ask(evening);
    } catch (error) {
      report(error.message);
      if (evening.events.length) this.undo(evening);
      else this.correct(evening, null);
      return;
    }
    if (mine !== this.shown || state.needs) return;
    report("");
    this.show(state, evening);
  }

  /** @param {Server.RealTable} state @param {Evening} evening */
  show(state, evening) {
    const { say, main } = this;
    const isFresh = !main.querySelector(".advice");
    const picture = element("div", { class: "picture" });
    const log = element("div", { class: "log", role: "log", tabindex: 0, "aria-label": say("happened") },
      element("ol", {}, ...state.news.map((line) => element("li", {}, line))));
    const { rows } = state.beliefs;
    const next = new NextEvents(state, say, (event, goesOn) => this.add(goesOn && this.evening || evening, event));
    main.replaceChildren(element("div", { class: "table advice" },
      element("div", { class: "stage" },
        element("h1", { class: "headline", "aria-live": "polite" },
          state.sealed.length ? say("sealed") : state.headline),
        next.panel(), this.answerPanel(state, evening), picture),
      element("aside", {},
        panel(say("happened"), log, this.steps(state, evening)),
        ...rows.length ? [panel(say("beliefs"), rankedBeliefs(rows), note(word("beliefs_note")))] : [],
        element("section", { class: "panel score" }, ...state.score ? scoreTable(state.score) : []),
        panel(word("export"), ...this.exports(state, evening)))));
    if (isFresh) scrollTo({ top: 0 });
    showPicture(picture, state.picture);
    log.scrollTop = log.scrollHeight;
  }

  /** Buttons to go back. @param {Server.RealTable} state @param {Evening} evening */
  steps(state, evening) {
    const { say } = this;
    return element("p", { class: "row" },
      button(say("undo"), () => this.undo(evening), { id: "undo", disabled: !evening.events.length }),
      button(say("correct"), () => this.correct(evening, state.position), { disabled: !state.position }),
      button(say("another"), () => { // the evening is kept until another one is taken
        this.change(this.game, evening.names.length || "", { names: evening.names, position: null });
      }));
  }

  /** Add an event; if it shows something hidden, ask what. The state then, or null. @param {Evening} evening
   * @param {import("./advice_next.js").AdviceEvent} event */
  async add(evening, event) {
    const next = { ...evening, events: [...evening.events, event] };
    try {
      const state = await this.ask(next);
      if (!state.needs) {
        this.keep(next);
        this.draw();
        return state;
      }
      const place = find(this.main, ".advice .actions");
      place.replaceChildren(...revealPanel(state.needs, this.say, (shown) => this.add(evening, { ...event, shown }),
        () => this.draw()));
      find(place, "button").focus({ preventScroll: true });
    } catch (error) {
      report(error.message);
    }
    return null;
  }

  /** @param {Evening} evening */
  undo(evening) {
    this.keep({ ...evening, events: evening.events.slice(0, -1) });
    this.draw();
  }

  /** The form with the table as it is now. @param {Evening} evening @param {Record<string, any> | null} position */
  async correct(evening, position) {
    const before = { names: evening.names, position: position ?? evening.position };
    this.enter(await this.blank(this.game, before.position.options.num_players), before);
  }

  /** What the agent would do, if it is the player's decision. @param {Server.RealTable} state
   * @param {Evening} evening */
  answerPanel(state, evening) {
    const { say, agents } = this;
    const place = panel(say("answer"));
    place.classList.add("answer");
    place.setAttribute("aria-live", "polite");
    if (!state.advised) {
      place.append(element("p", {}, state.over ? word("over") : say("not_yours")));
      return place;
    }
    const told = element("div", { class: "thoughts" });
    const kept = stored("advice_agent", "");
    const agent = agents.some(([name]) => name === kept) ? kept : agents[0][0];
    const choice = select(agents, agent, (name) => {
      store("advice_agent", name);
      this.tell(told, name, evening);
    }, { id: "advice_agent" });
    place.append(told, element("label", { class: "field" }, element("span", {}, word("agent")), choice));
    this.tell(told, agent, evening);
    return place;
  }

  /** @param {HTMLElement} place @param {string} agent @param {Evening} evening */
  async tell(place, agent, evening) {
    const body = JSON.stringify(evening);
    const answer = (/** @type {string} */ name) =>
      change("advice/answer", { query: { agent: name, ...this.query }, body });
    const waiting = element("p", {}, word("thinking"));
    place.replaceChildren(waiting);
    place.dataset.agent = agent;
    if (agent === this.agents[0][0]) answer(this.first).then(({ text }) => {
      waiting.textContent = word("hint_first", { action: text });
    }, () => {});
    try {
      let isWhole = false;
      while (!isWhole) {
        const { text, why, reasons, ...rest } = await answer(agent);
        if (place.dataset.agent !== agent || !place.isConnected) return;
        isWhole = rest.whole;
        const others = reasons.filter((reason) => !why.includes(reason)).map((reason) => element("li", {}, reason));
        place.replaceChildren(element("p", { class: "advised" }, text), why ? element("p", { class: "why" }, why) : "",
          element("ul", { class: "notes" }, ...others),
          element("details", { open: form() === "wide" }, element("summary", {}, this.say("how_sure")),
            ...thoughtsOf({ ...rest, why: "", note: "" })));
      }
    } catch (error) {
      place.replaceChildren(element("p", { role: "alert" }, error.message));
    }
  }

  /** The evening as files, and as a program. @param {Server.RealTable} state @param {Evening} evening */
  exports(state, evening) {
    const { say } = this;
    /** @param {string} key @param {() => void} act */
    const made = (key, act, text = say(key)) => button(text, act, { class: "quiet", "data-export": key });
    const replay = async () => JSON.stringify(
      await change("advice/replay", { query: this.query, body: JSON.stringify(evening) }));
    return [element("p", { class: "row" },
      made("evening", () => saveJson(JSON.stringify(evening, null, 1), "evening.json")),
      made("replay", async () => saveJson(await replay(), "replay.json"), word("save_replay")),
      made("watch", async () => {
        const { replay: name } = await change("replays", { body: await replay() });
        location.hash = `#/replay/${name}`;
      }, word("watch_replay"))),
    state.python ? element("details", {}, element("summary", {}, "Python"),
      element("pre", { tabindex: 0 }, state.python)) : ""];
  }
}

/** @param {string} text */
const note = (text) => element("p", { class: "note" }, text);

/** @param {string} title @param {...(Node | string)} parts */
function panel(title, ...parts) {
  return element("section", { class: "panel" }, element("h2", {}, title), ...parts);
}
