// A game step by step: forward and back, from lot to lot, with what an agent reports. Agents play as far as it is watched.

import { agentName, paceName } from "./form.js";
import { beliefsOf } from "./beliefs.js";
import { chanceChart } from "./chart.js";
import { element, form, icon, labelled, pageAddress, report, request, select, setTitle, showNothing, store, stored, word } from "./dom.js";
import { closePanel, onPart, showPanel, showPicture } from "./picture.js";
import { rulesButton, showRules } from "./rules.js";
import { scoreTable } from "./score.js";
import { exportMenu } from "./exports.js";
import { copyButton } from "./seats.js";
import { studyPanel } from "./study.js";
import { thoughtsOf } from "./thoughts.js";

const THINK_AFTER = 250; // milliseconds at one step
const NONE = "none";

export function showReplay(main, offer, name, first, seenBy, playNow) {
  const headline = element("h1", { class: "headline", "aria-live": "polite" });
  const picture = element("div", { class: "picture" });
  const news = element("ol");
  const newsBox = element("div", { class: "log", role: "log", "aria-live": "polite", "aria-label": word("news"), tabindex: "0" }, news);
  const decision = element("p", { class: "decision" });
  const failure = element("p", { class: "failure", role: "status" });
  const thoughts = element("div", { class: "thoughts" });
  const score = element("section", { class: "panel score", "aria-label": word("score_of"), hidden: true });
  const chances = element("section", { class: "panel", "aria-label": word("chances"), hidden: true });
  const beliefs = element("div");
  const beliefBox = element("details", { class: "panel beliefs", hidden: true, ontoggle: () => showBeliefs() },
    element("summary", {}, word("beliefs")), beliefs);
  const study = studyPanel(name, offer.language, go);
  const link = element("p"), exports = element("div");
  const text = element("pre", { tabindex: "0", "aria-label": word("in_words") });
  const controls = element("section", { class: "panel controls", "aria-label": word("controls"), hidden: true });
  const settings = element("section", { class: "panel settings", "aria-label": word("options") });
  const slider = element("input", { type: "range", id: "step", min: 0, max: 0, value: 0, "aria-label": word("step"),
    oninput: (event) => go(Number(event.target.value)) });
  const position = element("output", { for: "step" });
  const agents = element("select", { id: "agent", onchange: () => think(0) });
  const paces = offer.paces.filter((pace) => pace !== null);
  const pace = select(paces.map((one) => [String(one), paceName(one)]), String(stored("pace", 1)),
    (value) => store("pace", Number(value)), { id: "pace" });
  const player = button("play", "play", () => (playing ? stop() : play()));
  const lots = element("select", { id: "lot", onchange: () => go(Number(lots.value)) });
  const viewers = element("select", { id: "viewer", onchange: () => show(step) });
  const table = element("div", { class: "table empty" },
    element("div", { class: "stage" }, element("div", { class: "top" }, headline, rulesButton(openRules)), picture, element("div", { class: "dock" }, controls), chances, beliefBox, score),
    element("aside", {}, failure,
      element("section", { class: "panel" }, element("h2", {}, word("thoughts")), agents, thoughts),
      element("section", { class: "panel" }, element("h2", {}, word("news")), newsBox, decision),
      study.panel, settings,
      element("details", { class: "panel" }, element("summary", {}, word("in_words")), text)));
  main.append(table);
  headline.textContent = word("loading");
  setTitle(word("loading"));
  agents.setAttribute("aria-label", word("agent"));
  let about = null;
  let step = Number(first) || 0;
  let playing = false;
  let run = 0; // number of the last thing that the visitor did: what began before it ends
  let asked = 0; // number of the last request for a step
  let thinking = 0;
  let chart = null; // of the chances, once they are known
  load();
  onPart(picture, (part, about) => about && showPanel(part, about, []));
  document.addEventListener("keydown", onKey);
  return () => {
    run += 1;
    playing = false;
    closePanel();
    clearTimeout(thinking);
    document.removeEventListener("keydown", onKey);
  };

  function button(key, sign, act, id = key) {
    return element("button", { type: "button", class: "icon", id, "aria-label": word(key), title: word(key), onclick: act }, icon(sign));
  }

  function openRules() {
    showRules(`api/rules/${name}`, offer.language);
  }

  async function load() {
    try {
      about = await request(`api/replays/${name}?language=${offer.language}`);
    } catch (error) {
      if (table.isConnected) showNothing(main, error.message);
      return;
    }
    const known = [["all", word("sees_all")], ["public", word("sees_public")],
      ...about.names.map((seat, index) => [String(index), word("sees_seat", { name: seat })])];
    viewers.append(...known.map(([value, label]) => element("option", { value }, label)));
    viewers.value = known.some(([value]) => value === seenBy) ? seenBy : "all";
    const choices = [...about.agents.map((agent) => [agent, agentName(agent)]), [NONE, word("agent_none")]];
    if (about.decide) choices.unshift(["", word("agent_decides")]);
    agents.append(...choices.map(([value, label]) => element("option", { value }, label)));
    agents.value = about.adviser;
    controls.append(
      element("div", { class: "buttons" }, button("first", "first", () => go(0)), button("lot_before", "lot_before", lotBefore),
        button("back", "back", () => go(step - 1)), player, button("forward", "forward", () => go(step + 1)),
        button("lot_next", "lot_next", lotNext), button("last", "last", () => go(Infinity))),
      element("div", { class: "track" }, slider, position));
    settings.append(labelled(word("lot"), lots), labelled(word("sees"), viewers), labelled(word("pace"), pace),
      link, exports);
    controls.hidden = false;
    beliefBox.hidden = !about.beliefs;
    table.classList.remove("empty");
    update(about);
    await show(step);
    if (playNow) play();
  }

  /** Take over what the server says of a game that has gone on. */
  function update(found) {
    about = { ...about, ...found };
    if (about.over && !exports.firstChild) exports.append(exportMenu(name, offer.language));
    slider.max = about.steps - 1;
    study.load(about);
    failure.textContent = about.failure ?? "";
    if (lots.childElementCount !== about.lots.length + 1) {
      lots.replaceChildren(element("option", { value: "0" }, "–"),
        ...about.lots.map(([at, label]) => element("option", { value: String(at) }, label)));
    }
    if (about.over && chances.hidden) showChances();
  }

  async function showChances() {
    chances.hidden = false;
    chances.replaceChildren(element("p", { role: "status" }, word("grading")));
    try {
      chart = chanceChart(await request(`api/review/${name}/chances?language=${offer.language}`), go);
      chances.replaceChildren(chart.chart);
      chart.show(step);
    } catch (error) {
      chances.replaceChildren(element("p", {}, error.message));
    }
  }

  /** Let the agents play until it is enough; false if something else was begun meanwhile, or they cannot go on. */
  async function playUntil(enough) {
    const mine = run;
    while (!about.complete && !enough()) {
      const before = about.steps;
      headline.classList.add("thinking");
      try {
        update(await request(`api/replays/${name}/${before - 1}/advance?language=${offer.language}`, { method: "POST" }));
        report("");
      } catch (error) {
        report(error.message);
        stop();
        return false;
      } finally {
        headline.classList.remove("thinking");
      }
      position.textContent = positionText();
      if (mine !== run) return false;
      if (about.steps === before) {
        stop();
        return false;
      }
    }
    return true;
  }

  async function go(wanted) {
    stop();
    await goOn(wanted);
  }

  async function goOn(wanted) {
    const mine = run;
    if (wanted >= about.steps) await playUntil(() => wanted < about.steps);
    if (mine === run) await show(wanted);
  }

  function lotBefore() {
    go(Math.max(0, ...about.lots.map(([at]) => at).filter((at) => at < step)));
  }

  async function lotNext() {
    stop();
    const mine = run;
    const next = () => about.lots.map(([at]) => at).find((at) => at > step);
    await playUntil(() => next() !== undefined);
    if (mine === run) await show(next() ?? Infinity);
  }

  async function play() {
    stop();
    const mine = run;
    playing = true;
    showPlayer();
    if (about.complete && step === about.steps - 1) await show(0);
    while (mine === run && playing) {
      const wait = new Promise((resolve) => setTimeout(resolve, 1000 * Number(pace.value)));
      await wait;
      if (mine !== run) return;
      await goOn(step + 1);
      if (about.complete && step === about.steps - 1 && mine === run) stop();
    }
  }

  function stop() {
    run += 1;
    playing = false;
    showPlayer();
  }

  function showPlayer() {
    player.replaceChildren(icon(playing ? "pause" : "play"));
    player.setAttribute("aria-label", word(playing ? "pause" : "play"));
    player.title = word(playing ? "pause" : "play");
  }

  function positionText() {
    return `${step} / ${about.steps - 1}${about.complete ? "" : " +"}`;
  }

  async function show(wanted) {
    step = Math.max(0, Math.min(about.steps - 1, wanted));
    slider.value = step;
    chart?.show(step);
    study.show(step);
    position.textContent = positionText();
    lots.value = String(about.lots.map(([at]) => at).findLast((at) => at <= step) ?? 0);
    asked += 1;
    const mine = asked;
    try {
      const found = await request(`api/replays/${name}/${step}?viewer=${viewers.value}&language=${offer.language}&form=${form()}`);
      if (mine !== asked) return; // a later request is on its way
      report("");
      await showPicture(picture, found.picture);
      headline.textContent = found.headline;
      setTitle(found.headline, found.title);
      slider.setAttribute("aria-valuetext", `${positionText()}: ${found.headline}`);
      text.textContent = found.text;
      score.hidden = !found.score;
      if (found.score) score.replaceChildren(...scoreTable(found.score));
      news.replaceChildren(...found.news.map((line) => element("li", {}, line)));
      decision.textContent = found.action ? word("then", { action: found.action }) : "";
      history.replaceState(null, "", `#/replay/${name}/${step}/${viewers.value}`);
      link.replaceChildren(copyButton(`${offer.address ?? pageAddress()}/${location.hash}`, word("step_link"), "step"));
      think(THINK_AFTER);
    } catch (error) {
      stop();
      report(error.message);
    }
  }

  /** Show who believes what at this step, if that is open. */
  async function showBeliefs() {
    if (!beliefBox.open) return;
    const at = step;
    try {
      const found = await request(`api/replays/${name}/${at}/beliefs?viewer=${viewers.value}&agent=${encodeURIComponent(agents.value)}&language=${offer.language}`);
      if (at === step) beliefs.replaceChildren(...beliefsOf(found));
    } catch (error) {
      if (at === step) beliefs.replaceChildren(element("p", {}, error.message));
    }
  }

  /** Show what the agent reports of this step, after some milliseconds without another one. */
  function think(after) {
    clearTimeout(thinking);
    showBeliefs();
    const at = step;
    const agent = agents.value;
    if (agent === NONE || (about.complete && at === about.steps - 1)) {
      thoughts.classList.remove("old");
      thoughts.replaceChildren();
      return;
    }
    thoughts.classList.add("old");
    thinking = setTimeout(async () => {
      let found;
      try {
        found = thoughtsOf(await request(`api/replays/${name}/${at}/thoughts?agent=${encodeURIComponent(agent)}&language=${offer.language}`));
      } catch (error) {
        found = [error.message];
      }
      if (at !== step || agent !== agents.value) return;
      thoughts.classList.remove("old");
      thoughts.replaceChildren(...found);
    }, about.complete ? after : 0);
  }

  function onKey(event) {
    if (event.ctrlKey || event.altKey || event.metaKey || !about || /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName)) return;
    const keys = { ArrowLeft: () => go(step - 1), ArrowRight: () => go(step + 1), PageUp: lotBefore, PageDown: lotNext,
      Home: () => go(0), End: () => go(Infinity), "?": openRules };
    if (event.key === " " && event.target.tagName !== "BUTTON" && event.target.tagName !== "SUMMARY") player.click();
    else if (event.key in keys) keys[event.key]();
    else return;
    event.preventDefault();
  }
}
