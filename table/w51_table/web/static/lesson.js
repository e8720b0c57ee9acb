// A guided first game: a text before each decision, and the one action that it asks for.

import { element, form, request, setTitle, showNothing, word } from "./dom.js";
import { closePanel, onPart, openAreas, showPanel, showPicture } from "./picture.js";
import { rulesButton, showRules } from "./rules.js";
import { scoreTable } from "./score.js";
import { staging } from "./staging.js";

const LEARNER = 0; // the seat

export function showLesson(main, offer, game) {
  const headline = element("h1", { class: "headline", "aria-live": "polite" }, word("loading"));
  const picture = element("div", { class: "picture" });
  const text = element("p", { class: "lesson-text", "aria-live": "polite" });
  const news = element("ol");
  const events = element("section", { class: "panel" }, element("h2", {}, word("news")), element("div", { class: "log whole" }, news));
  const actions = element("section", { class: "panel actions yours", "aria-label": word("your_actions") });
  const score = element("section", { class: "panel score" });
  let steps = [];
  let now = 0;
  let told = 0; // the step that is shown
  main.append(element("div", { class: "table lesson" },
    element("div", { class: "stage" }, element("div", { class: "panel lesson-box" }, element("div", { class: "top" }, headline, rulesButton(openRules)), text), picture,
      element("div", { class: "dock" }, actions), score),
    element("aside", {}, events)));
  const stage = staging(picture, { draw: (step) => showPicture(picture, step.picture), show: present });
  onPart(picture, choosePart);
  document.addEventListener("keydown", onKey);
  load();
  return () => {
    closePanel();
    stage.stop();
    document.removeEventListener("keydown", onKey);
  };

  function openRules() {
    showRules(`api/lessons/${game}/rules`, offer.language);
  }

  function onKey(event) {
    if (event.key === "?") openRules();
  }

  async function load() {
    try {
      steps = (await request(`api/lessons/${game}?language=${offer.language}&form=${form()}`)).steps;
    } catch (error) {
      showNothing(main, error.message);
      return;
    }
    show(true);
  }

  function show(isNew) {
    for (const control of actions.querySelectorAll("button")) control.disabled = true; // until what happened is told
    closePanel();
    stage.add({ ...steps[now], new: isNew, seat: LEARNER, over: !steps[now].action });
  }

  async function present(step) {
    told = now;
    headline.textContent = word("lesson_step", { step: now + 1, steps: steps.length });
    setTitle(word("guided_game"), step.title);
    text.textContent = step.lesson;
    news.replaceChildren(...step.news.map((line) => element("li", {}, line)));
    events.hidden = !step.news.length;
    score.replaceChildren(...scoreTable(step.score));
    const controls = step.action ? [element("button", { type: "button", class: "primary", onclick: next }, step.action.text)]
      : [element("a", { class: "button primary", href: `#/quick/${game}` }, word("quick_game")),
        element("a", { class: "button", href: "#/" }, word("new_table"))];
    if (now === 0) controls.push(element("p", {}, word("lesson_try")));
    if (now) controls.push(element("button", { type: "button", class: "quiet", onclick: back }, word("back")));
    actions.replaceChildren(...controls);
    controls[0].focus({ preventScroll: true });
    scrollTo({ top: 0 });
    await showPicture(picture, step.picture);
    openAreas(picture, step.action ? [step.action] : []);
  }

  function next() {
    if (told !== now) return;
    now += 1;
    show(false);
  }

  function back() {
    if (told !== now) return;
    now -= 1;
    show(true);
  }

  function choosePart(part, about) {
    const wanted = part.classList.contains("open");
    if (wanted && (!about || part.dataset.part !== "lot")) next();
    else showPanel(part, about, wanted ? [element("button", { type: "button", class: "primary", onclick: next }, steps[now].action.text)] : []);
  }
}
