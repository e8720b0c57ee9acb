// A guided first game: a text before each decision, and the one action that it asks for.

import { read } from "./api.js";
import { button, element, findAll, setTitle, showNothing } from "./dom.js";
import { form } from "./layout.js";
import { onPart, openAreas, showPicture } from "./picture.js";
import { closePanel, showPanel } from "./popup.js";
import { rulesButton, showRules } from "./rules.js";
import { scoreTable } from "./score.js";
import { Stage } from "./staging.js";
import { word } from "./words.js";

const LEARNER = 0; // the seat

/** @typedef {Server.LessonStep & {new: boolean, seat: number, over: boolean}} Step */

/** The page. @param {HTMLElement} main @param {Server.Offer} offer @param {string} game */
export function showLesson(main, offer, game) {
  const page = new LessonPage(main, offer, game);
  page.load();
  return () => page.leave();
}

class LessonPage {
  /** @type {Server.LessonStep[]} */
  steps = [];
  now = 0;
  told = 0; // the step that is shown

  /** @param {HTMLElement} main @param {Server.Offer} offer @param {string} game */
  constructor(main, offer, game) {
    this.main = main;
    this.offer = offer;
    this.game = game;
    this.headline = element("h1", { class: "headline", "aria-live": "polite" }, word("loading"));
    this.picture = element("div", { class: "picture" });
    this.text = element("p", { class: "lesson-text", "aria-live": "polite" });
    this.news = element("ol");
    this.events = element("section", { class: "panel" }, element("h2", {}, word("news")),
      element("div", { class: "log whole" }, this.news));
    this.actions = element("section", { class: "panel actions yours", "aria-label": word("your_actions") });
    this.score = element("section", { class: "panel score" });
    const top = element("div", { class: "top" }, this.headline, rulesButton(() => this.openRules()));
    main.append(element("div", { class: "table lesson" },
      element("div", { class: "stage" }, element("div", { class: "panel lesson-box" }, top, this.text), this.picture,
        element("div", { class: "dock" }, this.actions), this.score),
      element("aside", {}, this.events)));
    /** @type {Stage<Step>} */
    this.stage = new Stage(this.picture, { begin: () => {}, draw: (step) => showPicture(this.picture, step.picture),
      show: (step) => this.present(step) });
    onPart(this.picture, (part, about) => this.choosePart(part, about));
    this.onKey = (/** @type {KeyboardEvent} */ event) => { if (event.key === "?") this.openRules(); };
    document.addEventListener("keydown", this.onKey);
  }

  leave() {
    closePanel();
    this.stage.stop();
    document.removeEventListener("keydown", this.onKey);
  }

  openRules() {
    showRules("lessons/{game}/rules", { game: this.game }, this.offer.language);
  }

  async load() {
    const { game, offer: { language } } = this;
    try {
      this.steps = (await read("lessons/{game}", { game, query: { language, form: form() } })).steps;
    } catch (error) {
      showNothing(this.main, error.message);
      return;
    }
    this.show(true);
  }

  /** @param {boolean} isNew */
  show(isNew) {
    const buttons = findAll(this.actions, "button");
    for (const control of buttons) control.toggleAttribute("disabled", true); // until it is told
    closePanel();
    const step = this.steps[this.now];
    this.stage.add({ ...step, new: isNew, seat: LEARNER, over: !step.action });
  }

  /** @param {Step} step */
  async present(step) {
    const { now, steps, actions, picture } = this;
    this.told = now;
    this.headline.textContent = word("lesson_step", { step: now + 1, steps: steps.length });
    setTitle(word("guided_game"), step.title);
    this.text.textContent = step.lesson;
    this.news.replaceChildren(...step.news.map((line) => element("li", {}, line)));
    this.events.hidden = !step.news.length;
    if (step.score) this.score.replaceChildren(...scoreTable(step.score));
    /** @type {HTMLElement[]} */
    const controls = step.action ? [this.nextButton(step.action)]
      : [element("a", { class: "button primary", href: `#/quick/${this.game}` }, word("quick_game")),
        element("a", { class: "button", href: "#/" }, word("new_table"))];
    if (now === 0) controls.push(element("p", {}, word("lesson_try")));
    if (now) controls.push(button(word("back"), () => this.go(-1), { class: "quiet" }));
    actions.replaceChildren(...controls);
    controls[0].focus({ preventScroll: true });
    scrollTo({ top: 0 });
    await showPicture(picture, step.picture);
    openAreas(picture, step.action ? [step.action] : []);
  }

  /** @param {Server.ActionGroup} action */
  nextButton(action) {
    return button(action.text ?? "", () => this.go(1), { class: "primary" });
  }

  /** @param {1 | -1} step */
  go(step) {
    if (this.told !== this.now) return;
    this.now += step;
    this.show(step < 0);
  }

  /** @param {HTMLElement} part @param {string} about */
  choosePart(part, about) {
    const { action } = this.steps[this.now];
    const isWanted = part.classList.contains("open");
    if (isWanted && (!about || part.dataset.part !== "lot")) this.go(1);
    else showPanel(part, about, isWanted && action ? [this.nextButton(action)] : []);
  }
}
