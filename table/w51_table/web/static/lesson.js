// Lessons: a guided first game, a text before each decision and the one action that it asks for; and short lessons,
// positions with choices. Whoever errs is told why, and tries again.

import { read } from "./api.js";
import { button, element, findAll, setTitle, showNothing } from "./dom.js";
import { form } from "./layout.js";
import { onPart, openAreas, showPicture } from "./picture.js";
import { closePanel, showPanel } from "./popup.js";
import { rulesButton, showRules } from "./rules.js";
import { scoreTable } from "./score.js";
import { Stage } from "./staging.js";
import { store, stored } from "./storage.js";
import { titled, word } from "./words.js";

const LEARNER = 0; // the seat

/** @typedef {Server.LessonStep & {new: boolean, seat: number, over: boolean}} Step */

/** The page. @param {HTMLElement} main @param {Server.Offer} offer @param {string} game
 * @param {string} [topic] of a short lesson; without one the guided game */
export function showLesson(main, offer, game, topic) {
  const page = new LessonPage(main, offer, game, topic);
  page.load();
  return () => page.leave();
}

class LessonPage {
  /** @type {Server.LessonStep[]} */
  steps = [];
  now = 0;
  told = 0; // the step that is shown
  /** @type {Set<number>} */
  erred = new Set(); // steps

  /** @param {HTMLElement} main @param {Server.Offer} offer @param {string} game @param {string | undefined} topic */
  constructor(main, offer, game, topic) {
    this.main = main;
    this.offer = offer;
    this.game = game;
    this.topic = topic;
    this.headline = element("h1", { class: "headline", "aria-live": "polite" }, word("loading"));
    this.picture = element("div", { class: "picture" });
    this.text = element("p", { class: "lesson-text", "aria-live": "polite" });
    this.why = element("p", { class: "lesson-text why", role: "status" });
    this.news = element("ol");
    this.events = element("section", { class: "panel" }, element("h2", {}, word("news")),
      element("div", { class: "log whole" }, this.news));
    this.actions = element("section", { class: "panel actions yours", "aria-label": word("your_actions") });
    this.score = element("section", { class: "panel score" });
    const top = element("div", { class: "top" }, this.headline, rulesButton(() => this.openRules()));
    main.append(element("div", { class: "table lesson" },
      element("div", { class: "stage" }, element("div", { class: "panel lesson-box" }, top, this.text, this.why),
        this.picture,
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
    const { topic, game, offer: { language } } = this;
    if (topic) showRules("exercises/{topic}/rules", { topic }, language);
    else showRules("lessons/{game}/rules", { game }, language);
  }

  async load() {
    const { game, topic, offer: { language } } = this;
    const query = { language, form: form() };
    try {
      const found = topic ? read("exercises/{topic}", { topic, query }) : read("lessons/{game}", { game, query });
      this.steps = (await found).steps;
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
    this.stage.add({ ...step, new: isNew, seat: LEARNER, over: step.right === null });
  }

  /** @param {Step} step */
  async present(step) {
    const { now, steps, actions, picture } = this;
    this.told = now;
    const said = word("lesson_step", { step: now + 1, steps: steps.length });
    const title = word(this.topic ? `topic_${this.topic}` : "guided_game");
    this.headline.textContent = this.topic ? titled(title, said) : said;
    setTitle(title, step.title);
    this.text.textContent = step.lesson;
    this.why.textContent = "";
    this.news.replaceChildren(...step.news.map((line) => element("li", {}, line)));
    this.events.hidden = !step.news.length;
    if (step.score) this.score.replaceChildren(...scoreTable(step.score));
    const controls = step.choices.length ? this.buttons(step.choices) : this.links();
    if (now === 0 && !this.topic) controls.push(element("p", {}, word("lesson_try")));
    if (now) controls.push(button(word("back"), () => this.go(-1), { class: "quiet" }));
    actions.replaceChildren(...(this.topic ? [element("p", {}, word("lesson_choose"))] : []), ...controls);
    (controls.find((one) => one.matches(".primary")) ?? controls[0]).focus({ preventScroll: true });
    scrollTo({ top: 0 });
    await showPicture(picture, step.picture);
    openAreas(picture, this.asked());
  }

  /** The choices whose parts of the picture glow: in a guided game the one that is asked for. */
  asked() {
    const { choices, right } = this.steps[this.now];
    return this.topic ? choices : choices.filter(({ id }) => id === right);
  }

  /** @param {readonly Server.ActionGroup[]} choices @returns {HTMLElement[]} */
  buttons(choices) {
    const { right } = this.steps[this.now];
    return choices.map(({ id, text }) => button(text ?? "", () => this.choose(id),
      { class: id === right && !this.topic ? "primary" : "", "data-action": id }));
  }

  /** What comes after the last step. @returns {HTMLElement[]} */
  links() {
    const topics = this.offer.games.find(({ id }) => id === this.game)?.topics ?? [];
    const next = topics[this.topic ? topics.indexOf(this.topic) + 1 : 0];
    const links = [element("a", { class: "button primary", href: `#/quick/${this.game}` }, word("quick_game")),
      element("a", { class: "button", href: "#/" }, word("new_table"))];
    const lesson = next
      && element("a", { class: "button", href: `#/lesson/${this.game}/${next}` }, word(`topic_${next}`));
    return lesson ? this.topic ? [lesson, ...links] : [...links, lesson] : links;
  }

  /** @param {number | undefined} id of an action */
  choose(id) {
    const { now, topic, actions, why, steps } = this;
    const { right, choices, why: reason } = steps[now];
    if (this.told !== now || id === undefined) return;
    if (id !== right) {
      this.erred.add(now);
      const action = choices.find((one) => one.id === id)?.text ?? "";
      why.textContent = `${word("lesson_wrong", { action })} ${topic ? word("lesson_again") : reason}`;
      actions.querySelector(`[data-action="${id}"]`)?.setAttribute("disabled", "");
    } else if (!topic) this.go(1);
    else this.answer(reason);
  }

  /** The right choice of a position was made: why it is, and what comes next. @param {string} reason */
  answer(reason) {
    const { now, topic, actions, why, steps, erred } = this;
    const isLast = now === steps.length - 1;
    why.textContent = `${word("lesson_right")} ${reason}`;
    const right = steps.length - erred.size;
    if (isLast) why.textContent += ` ${word("topic_done", { right, steps: steps.length })}`;
    if (isLast) store("topics", { ...stored("topics", {}), [topic ?? ""]: right });
    const controls = isLast ? this.links() : [button(word("next"), () => this.go(1), { class: "primary" })];
    actions.replaceChildren(...controls);
    openAreas(this.picture, []);
    controls[0].focus({ preventScroll: true });
  }

  /** @param {1 | -1} step */
  go(step) {
    if (this.told !== this.now) return;
    this.now += step;
    this.show(step < 0);
  }

  /** @param {HTMLElement} part @param {string} about */
  choosePart(part, about) {
    const isOpen = part.classList.contains("open");
    const own = isOpen ? this.asked().filter((one) => (one.part ?? "lot") === part.dataset.part) : [];
    if (own.length === 1 && (!about || part.dataset.part !== "lot")) this.choose(own[0].id);
    else showPanel(part, about, this.buttons(own));
  }
}
