// A replay: forward and back, to any lot, and what an agent would have done.

import { element, labelled, report, request, select, showPicture, word } from "./dom.js";
import { agentName } from "./form.js";

const PLAY_EVERY = 1000; // milliseconds

export function showReplay(main, offer, name, first) {
  const form = matchMedia("(max-width: 640px)").matches ? "narrow" : "wide";
  const headline = element("h1", { class: "headline", role: "status", "aria-live": "polite" });
  const picture = element("div", { class: "picture" });
  const news = element("ol");
  const newsBox = element("div", { class: "log", role: "log", "aria-live": "polite", "aria-label": word("news"), tabindex: "0" }, news);
  const decision = element("p", { class: "decision" });
  const thoughts = element("div", { class: "thoughts", role: "status" });
  const text = element("pre", { tabindex: "0", "aria-label": word("in_words") });
  const controls = element("div", { class: "panel controls" });
  main.append(element("div", { class: "table" },
    element("div", { class: "stage" }, headline, picture, controls),
    element("aside", {},
      element("section", { class: "panel" }, element("h2", {}, word("news")), newsBox, decision),
      element("section", { class: "panel" }, element("h2", {}, word("thoughts")), thoughts),
      element("details", { class: "panel" }, element("summary", {}, word("in_words")), text))));
  let about = null;
  let step = Number(first) || 0;
  let viewer = "all";
  let timer = 0;
  let asked = 0;
  let slider = null;
  let lots = null;
  let player = null;
  load();
  document.addEventListener("keydown", onKey);
  return () => {
    clearInterval(timer);
    document.removeEventListener("keydown", onKey);
  };

  async function load() {
    try {
      about = await request(`api/replays/${name}?language=${offer.language}`);
    } catch (error) {
      headline.textContent = error.message;
      return;
    }
    const button = (label, sign, go, id) => element("button", { type: "button", id, "aria-label": label, title: label, onclick: go }, sign);
    slider = element("input", { type: "range", id: "step", min: 0, max: about.steps - 1, value: step,
      "aria-label": word("step"), oninput: (event) => show(Number(event.target.value)) });
    player = button(word("play"), "▶", toggle, "play");
    lots = select([["", word("lot")], ...about.lots.map(([at, label]) => [String(at), label])], "",
      (at) => at !== "" && show(Number(at)), { id: "lot", "aria-label": word("lot") });
    const viewers = [["all", word("sees_all")], ["public", word("sees_public")],
      ...about.names.map((seat, index) => [String(index), word("sees_seat", { name: seat })])];
    controls.append(button(word("first"), "«", () => show(0), "first"), button(word("back"), "‹", () => show(step - 1), "back"),
      player, button(word("forward"), "›", () => show(step + 1), "forward"),
      button(word("last"), "»", () => show(about.steps - 1), "last"), slider, lots,
      labelled(word("sees"), select(viewers, viewer, (found) => { viewer = found; show(step); }, { id: "viewer" })),
      element("button", { type: "button", class: "quiet", id: "think", onclick: think }, word("hint")));
    show(step);
  }

  async function show(wanted) {
    step = Math.max(0, Math.min(about.steps - 1, wanted));
    slider.value = step;
    asked += 1;
    const mine = asked;
    try {
      const found = await request(`api/replays/${name}/${step}?viewer=${viewer}&language=${offer.language}&form=${form}`);
      if (mine !== asked) return; // a later request is on its way
      headline.textContent = found.headline;
      slider.setAttribute("aria-valuetext", `${step + 1} / ${about.steps}: ${found.headline}`);
      showPicture(picture, found.svg);
      text.textContent = found.text;
      news.replaceChildren(...found.news.map((line) => element("li", {}, line)));
      decision.textContent = found.action ? word("then", { action: found.action }) : "";
      thoughts.replaceChildren();
      history.replaceState(null, "", `#/replay/${name}/${step}`);
      if (step === about.steps - 1) stop();
    } catch (error) {
      stop();
      report(error.message);
    }
  }

  async function think() {
    const at = step;
    thoughts.replaceChildren(word("thinking"));
    try {
      const found = await request(`api/replays/${name}/${at}/thoughts?language=${offer.language}`);
      if (at === step) thoughts.replaceChildren(...thoughtsOf(found));
    } catch (error) {
      thoughts.replaceChildren(error.message);
    }
  }

  function toggle() {
    if (timer) {
      stop();
      return;
    }
    timer = setInterval(() => show(step + 1), PLAY_EVERY);
    player.textContent = "❚❚";
    player.setAttribute("aria-label", word("pause"));
  }

  function stop() {
    clearInterval(timer);
    timer = 0;
    player.textContent = "▶";
    player.setAttribute("aria-label", word("play"));
  }

  function onKey(event) {
    if (event.ctrlKey || event.altKey || event.metaKey || !about || /^(INPUT|SELECT)$/.test(event.target.tagName)) return;
    const steps = { ArrowLeft: step - 1, ArrowRight: step + 1, Home: 0, End: about.steps - 1 };
    if (!(event.key in steps)) return;
    event.preventDefault();
    show(steps[event.key]);
  }
}

/** What an agent reports of a decision: its action, its chance, and the likeliest actions as bars. */
function thoughtsOf(found) {
  const parts = [element("p", {}, word("hint_is", { agent: agentName(found.agent), action: found.text }),
    found.chance === null ? "" : ` ${word("hint_chance", { percent: Math.round(100 * found.chance) })}`)];
  if (found.choices.length) {
    parts.push(element("ul", { class: "bars" }, ...found.choices.map(([label, share]) => element("li", {},
      element("meter", { min: 0, max: 1, value: share, "aria-hidden": "true" }),
      ` ${Math.round(100 * share)} % ${label}`))));
  }
  return parts;
}
