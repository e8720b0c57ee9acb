// A game step by step, with what an agent reports. Agents play as far as it is watched.

import { change, read } from "./api.js";
import { ChanceChart } from "./chart.js";
import { copyButton, element, icon, labelled, pageAddress, report, select, setTitle, showNothing } from "./dom.js";
import { exportMenu } from "./exports.js";
import { form } from "./layout.js";
import { onPart, showPicture } from "./picture.js";
import { CONTROLS, Player, controlOf } from "./player.js";
import { closePanel, showPanel } from "./popup.js";
import { ReplayAdvice } from "./replay_advice.js";
import { rulesButton, showRules } from "./rules.js";
import { scoreTable } from "./score.js";
import { store, stored } from "./storage.js";
import { StudyPanel } from "./study.js";
import { paceName, word } from "./words.js";

/**
 * What the address says of a replay.
 * @typedef {{name: string, step: string, viewer?: string, isPlaying: boolean}} Asked
 */

/** The page. @param {HTMLElement} main @param {Server.Offer} offer @param {Asked} asked */
export function showReplay(main, offer, asked) {
  const page = new ReplayPage(main, offer, asked);
  page.load(asked);
  return () => page.leave();
}

/** @param {string} key of its label @param {keyof typeof import("./dom.js").ICONS} sign @param {() => void} act */
const iconButton = (key, sign, act) => element("button",
  { type: "button", class: "icon", id: key, "aria-label": word(key), title: word(key), onclick: act }, icon(sign));

class ReplayPage {
  headline = element("h1", { class: "headline", "aria-live": "polite" }, word("loading"));
  /** @type {import("./picture.js").Picture} */
  picture = element("div", { class: "picture" });
  news = element("ol");
  decision = element("p", { class: "decision" });
  failure = element("p", { class: "failure", role: "status" });
  score = element("section", { class: "panel score", "aria-label": word("score_of"), hidden: true });
  chances = element("section", { class: "panel", "aria-label": word("chances"), hidden: true });
  link = element("p");
  exports = element("div");
  text = element("pre", { tabindex: "0", "aria-label": word("in_words") });
  controls = element("section", { class: "panel controls", "aria-label": word("controls"), hidden: true });
  position = element("output", { for: "step" });
  /** @type {Server.ReplayAbout | null} */
  about = null;
  asked = 0; // number of the last request for a step
  /** @type {ChanceChart | null} */
  chart = null; // once the chances are known

  /** @param {HTMLElement} main @param {Server.Offer} offer @param {Asked} asked */
  constructor(main, offer, { name, step }) {
    this.main = main;
    this.offer = offer;
    this.name = name;
    this.language = offer.language;
    this.player = new Player({ show: (wanted) => this.show(wanted), changed: () => this.showPlayer(),
      pace: () => 1000 * Number(this.pace.value), advance: () => this.goOn() });
    this.player.step = Number(step) || 0;
    this.advice = new ReplayAdvice(name, offer.language, () => this.viewers.value);
    this.study = new StudyPanel(name, offer.language, (wanted) => this.player.go(wanted));
    this.slider = element("input", { type: "range", id: "step", min: 0, max: 0, value: 0, "aria-label": word("step"),
      oninput: (event) => this.player.go(Number(event.target.value)) });
    const paces = offer.paces.filter((pace) => pace !== null);
    this.pace = select(paces.map((one) => [String(one), paceName(one)]), String(stored("pace", 1)),
      (value) => store("pace", Number(value)), { id: "pace" });
    this.play = iconButton("play", "play", () => this.player.use("play"));
    this.lots = element("select", { id: "lot", onchange: (event) => this.player.go(Number(event.target.value)) });
    this.viewers = element("select", { id: "viewer", onchange: () => this.show(this.player.step) });
    this.settings = element("section", { class: "panel settings", "aria-label": word("options") });
    this.table = this.layOut();
    main.append(this.table);
    setTitle(word("loading"));
    onPart(this.picture, (part, about) => about && showPanel(part, about, []));
    this.onKey = (/** @type {KeyboardEvent} */ event) => this.pressed(event);
    document.addEventListener("keydown", this.onKey);
  }

  layOut() {
    const { advice, study } = this;
    const news = element("div", { class: "log", role: "log", "aria-live": "polite", "aria-label": word("news"),
      tabindex: "0" }, this.news);
    const top = element("div", { class: "top" }, this.headline, rulesButton(() => this.openRules()));
    return element("div", { class: "table empty" },
      element("div", { class: "stage" }, top, this.picture, element("div", { class: "dock" }, this.controls),
        this.chances, advice.beliefBox, this.score),
      element("aside", {}, this.failure,
        element("section", { class: "panel" }, element("h2", {}, word("thoughts")), advice.agents, advice.thoughts),
        element("section", { class: "panel" }, element("h2", {}, word("news")), news, this.decision),
        study.panel, this.settings,
        element("details", { class: "panel" }, element("summary", {}, word("in_words")), this.text)));
  }

  leave() {
    this.player.stop();
    closePanel();
    this.advice.stop();
    document.removeEventListener("keydown", this.onKey);
  }

  openRules() {
    showRules("rules/{name}", { name: this.name }, this.language);
  }

  /** @param {Asked} asked */
  async load({ viewer, isPlaying }) {
    const { name, language } = this;
    let about;
    try {
      about = await read("replays/{name}", { name, query: { language } });
    } catch (error) {
      if (this.table.isConnected) showNothing(this.main, error.message);
      return;
    }
    this.advice.load(about);
    this.offerViewers(about.names, viewer);
    this.controls.append(
      element("div", { class: "buttons" }, ...CONTROLS.map((control) =>
        (control === "play" ? this.play : iconButton(control, control, () => this.player.use(control))))),
      element("div", { class: "track" }, this.slider, this.position));
    this.settings.append(labelled(word("lot"), this.lots), labelled(word("sees"), this.viewers),
      labelled(word("pace"), this.pace), this.link, this.exports);
    this.controls.hidden = false;
    this.table.classList.remove("empty");
    this.update(about);
    await this.player.show(this.player.step);
    if (isPlaying) this.player.play();
  }

  /** @param {string[]} names @param {string | undefined} wanted */
  offerViewers(names, wanted) {
    const known = [["all", word("sees_all")], ["public", word("sees_public")],
      ...names.map((seat, index) => [String(index), word("sees_seat", { name: seat })])];
    this.viewers.append(...known.map(([value, label]) => element("option", { value }, label)));
    this.viewers.value = known.find(([value]) => value === wanted)?.[0] ?? "all";
  }

  /** Take over what the server says of a game that has gone on. @param {Server.ReplayAbout} about */
  update(about) {
    const { player, lots } = this;
    this.about = about;
    player.steps = about.steps;
    player.lots = about.lots.map(([at]) => at);
    player.isComplete = about.complete;
    if (about.over && !this.exports.firstChild) this.exports.append(exportMenu(this.name, this.language));
    this.slider.max = String(player.last);
    this.study.load(about);
    this.failure.textContent = about.failure ?? "";
    if (lots.childElementCount !== about.lots.length + 1) {
      lots.replaceChildren(element("option", { value: "0" }, "–"),
        ...about.lots.map(([at, label]) => element("option", { value: String(at) }, label)));
    }
    if (about.over && this.chances.hidden) this.showChances();
  }

  async showChances() {
    const { chances, name, language } = this;
    chances.hidden = false;
    chances.replaceChildren(element("p", { role: "status" }, word("grading")));
    try {
      const found = await read("review/{name}/chances", { name, query: { language } });
      this.chart = new ChanceChart(found, (step) => this.player.go(step));
      chances.replaceChildren(this.chart.element);
      this.chart.show(this.player.step);
    } catch (error) {
      chances.replaceChildren(element("p", {}, error.message));
    }
  }

  /** Let the agents play a step; false if they cannot go on. */
  async goOn() {
    const { name, language, headline } = this;
    const before = this.player.last;
    headline.classList.add("thinking");
    try {
      this.update(await change("replays/{name}/{step}/advance", { name, step: before, query: { language } }));
      report("");
    } catch (error) {
      report(error.message);
      return false;
    } finally {
      headline.classList.remove("thinking");
    }
    this.position.textContent = this.positionText();
    return this.player.last > before;
  }

  showPlayer() {
    const key = this.player.isPlaying ? "pause" : "play";
    this.play.replaceChildren(icon(key));
    this.play.setAttribute("aria-label", word(key));
    this.play.title = word(key);
  }

  positionText() {
    const { step, last, isComplete } = this.player;
    return `${step} / ${last}${isComplete ? "" : " +"}`;
  }

  /** @param {number} step */
  async show(step) {
    const { player, name, language, viewers } = this;
    this.slider.value = String(step);
    this.chart?.show(step);
    this.study.show(step);
    this.position.textContent = this.positionText();
    this.lots.value = String(player.lots.findLast((at) => at <= step) ?? 0);
    this.asked += 1;
    const mine = this.asked;
    try {
      const query = { viewer: viewers.value, language, form: form() };
      const found = await read("replays/{name}/{step}", { name, step, query });
      if (mine !== this.asked) return; // a later request is on its way
      await this.draw(found);
      this.advice.show(step, player.isAtEnd);
    } catch (error) {
      player.stop();
      report(error.message);
    }
  }

  /** @param {Server.ReplayStep} found */
  async draw(found) {
    const { name, link, score } = this;
    report("");
    await showPicture(this.picture, found.picture);
    this.headline.textContent = found.headline;
    setTitle(found.headline, found.title);
    this.slider.setAttribute("aria-valuetext", `${this.positionText()}: ${found.headline}`);
    this.text.textContent = found.text;
    score.hidden = !found.score;
    if (found.score) score.replaceChildren(...scoreTable(found.score));
    this.news.replaceChildren(...found.news.map((line) => element("li", {}, line)));
    this.decision.textContent = found.action ? word("then", { action: found.action }) : "";
    history.replaceState(null, "", `#/replay/${name}/${this.player.step}/${this.viewers.value}`);
    const address = `${this.offer.address ?? pageAddress()}/${location.hash}`;
    link.replaceChildren(copyButton(address, word("step_link"), "step"));
  }

  /** @param {KeyboardEvent} event */
  pressed(event) {
    const tag = event.target instanceof Element ? event.target.tagName : "";
    if (event.ctrlKey || event.altKey || event.metaKey || !this.about || /^(INPUT|SELECT|TEXTAREA)$/.test(tag)) return;
    const control = event.key === " " && /^(BUTTON|SUMMARY)$/.test(tag) ? null : controlOf(event.key);
    if (control) this.player.use(control);
    else if (event.key === "?") this.openRules();
    else return;
    event.preventDefault();
  }
}
