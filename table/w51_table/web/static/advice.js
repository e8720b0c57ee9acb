// A game at a real table: what happens there is entered, and an agent advises. The browser keeps the evening.

import { askedPosition, hasForm } from "./advice_form.js";
import { percent } from "./chart.js";
import { element, fill, form, report, request, select, setTitle, store, stored, word } from "./dom.js";
import { showPicture } from "./picture.js";
import { scoreTable } from "./score.js";
import { thoughtsOf } from "./thoughts.js";

const KEPT = "advice"; // the evening in the storage of the browser
const CHIPS = 6; // bids that have a button of their own
let draft = null; // what was in the form when the page was drawn again, in another language or layout

/** The page: the form of a position, or the table as it is now. */
export function showAdvice(main, offer) {
  const games = offer.games.filter(({ id }) => hasForm(id));
  let evening = stored(KEPT, null);
  const known = draft ?? evening;
  let game = known?.position.game ?? games[0].id;
  let texts = {};
  let agents = [];
  let first = ""; // who answers at once
  let shown = 0; // number of the state that was asked for last
  const say = (key, values) => fill(texts[key] ?? key, values);
  begin();
  return () => {
    shown = -1;
    if (!location.hash.startsWith("#/advice")) draft = null;
    else if (main.childElementCount) draft = main.querySelector("form.position")?.draft() ?? null; // else it is not yet drawn
  };

  async function begin() {
    let blank;
    try {
      blank = await ask(`api/advice/${game}?players=${known?.position.options?.num_players ?? ""}&`);
    } catch (error) {
      report(error.message);
      return;
    }
    if (shown < 0) return;
    texts = blank.words;
    ({ agents, first } = blank);
    setTitle(say("title"));
    if (evening && !draft) draw();
    else enter(blank, draft);
  }

  function ask(path, body) {
    const sent = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
    return request(`${path}language=${offer.language}&form=${form()}`, sent);
  }

  /** The form, filled in with an evening or empty. */
  function enter(blank, before) {
    main.replaceChildren(element("h1", {}, say("title")), askedPosition({ games, game, blank, before, say, ask, done: take, load, change }));
  }

  /** The empty form of a game, with the names that are known. */
  async function change(other, players = "", names = []) {
    const blank = await ask(`api/advice/${other}?players=${players}&`);
    game = other;
    ({ agents, first } = blank);
    enter(blank, { names, position: null });
  }

  /** Take a new position, if it is possible; the server says what contradicts itself. */
  async function take(found) {
    await ask("api/advice?", found);
    const other = found.position.game;
    if (other !== game) ({ agents, first } = await ask(`api/advice/${other}?`));
    keep(found);
    draw();
  }

  async function load(file) {
    const found = JSON.parse(await file.text());
    if (!found?.position && !found?.game) throw new SyntaxError(file.name); // it is something else
    await take({ names: [], events: [], ...("position" in found ? found : { position: found }) });
  }

  function keep(found) {
    evening = found;
    ({ game } = found.position);
    store(KEPT, evening);
  }

  /** The table as it is now. */
  async function draw() {
    const mine = ++shown;
    const fresh = !main.querySelector(".advice");
    let state;
    try {
      state = await ask("api/advice?", evening);
    } catch (error) {
      report(error.message);
      if (evening.events.length) undo();
      else correct(null);
      return;
    }
    if (mine !== shown) return;
    report("");
    const picture = element("div", { class: "picture" });
    const news = element("ol", {}, ...state.news.map((line) => element("li", {}, line)));
    const log = element("div", { class: "log", role: "log", tabindex: 0, "aria-label": say("happened") }, news);
    const score = state.score ? scoreTable(state.score) : [];
    main.replaceChildren(element("div", { class: "table advice" },
      element("div", { class: "stage" }, element("h1", { class: "headline", "aria-live": "polite" }, state.sealed.length ? say("sealed") : state.headline),
        eventPanel(state), answerPanel(state), picture),
      element("aside", {},
        panel(say("happened"), log, element("p", { class: "row" },
          element("button", { type: "button", id: "undo", disabled: !evening.events.length, onclick: undo }, say("undo")),
          element("button", { type: "button", disabled: !state.position, onclick: () => correct(state.position) }, say("correct")),
          element("button", { type: "button", onclick: another }, say("another")))),
        ...state.beliefs.rows.length ? [panel(say("beliefs"), beliefs(state.beliefs.rows), element("p", { class: "note" }, word("beliefs_note")))] : [],
        element("section", { class: "panel score" }, ...score),
        panel(word("export"), ...exports(state)))));
    if (fresh) scrollTo({ top: 0 });
    showPicture(picture, state.picture);
    log.scrollTop = log.scrollHeight;
  }

  /** The relics by how likely their counterfeit cards are in a gap, the likeliest first. */
  function beliefs(rows) {
    const named = new Map();
    for (const [name, [chance]] of rows) named.set(chance, [...named.get(chance) ?? [], name]);
    const groups = [...named].sort(([one], [other]) => other - one);
    return element("dl", { class: "beliefs" }, ...groups.flatMap(([chance, names]) => [element("dt", {}, percent(chance, 1)), element("dd", {}, names.join(", "))]));
  }

  function panel(title, ...parts) {
    return element("section", { class: "panel" }, element("h2", {}, title), ...parts);
  }

  /** What may happen next; each event is two taps. */
  function eventPanel(state) {
    const place = element("section", { class: "panel actions yours", "aria-label": say("next") });
    const who = state.turn === 0 ? say("you_do") : say("seat_does", { name: state.seats[state.turn] });
    if (state.over) place.append(element("p", {}, word("over")));
    else if (state.sealed.length) place.append(...sealedBids(state));
    else place.append(element("h2", {}, who));
    const numbered = state.actions.filter((group) => group.choices).sort((a, b) => a.choices[0][0] - b.choices[0][0]);
    place.append(...numbered.length ? bids(numbered, state) : [],
      ...state.actions.filter((group) => !group.choices).map((group) => event(group.text, state.names[group.id])));
    return place;
  }

  function event(text, action) {
    return element("button", { type: "button", "data-event": action, onclick: () => add({ action }) }, text);
  }

  /** The least bids as buttons, and a field for any other. In some games a high bid takes two actions. */
  function bids([group, first], state) {
    const input = element("input", { type: "number", inputmode: "numeric", min: group.choices[0][0], max: (first ?? group).most,
      "aria-label": word("amount"), placeholder: word("amount") });
    const other = element("form", { class: "amount", onsubmit: (submitted) => {
      submitted.preventDefault();
      bid([group, first], state, input.valueAsNumber);
    } }, input, element("button", {}, say("bid")));
    return [...group.choices.slice(0, CHIPS).map(([amount, id, text]) => element("button",
      { type: "button", class: "chip", "aria-label": text, "data-event": state.names[id], onclick: () => add({ action: state.names[id] }) },
      amount.toLocaleString(offer.language))), group.choices.length > CHIPS || first ? other : ""];
  }

  async function bid([group, first], state, amount) {
    const whole = group.choices.find(([one]) => one === amount);
    const part = first?.choices.findLast(([reached]) => reached < amount);
    if (whole) add({ action: state.names[whole[1]] });
    else if (part && amount <= first.most) {
      const next = await add({ action: state.names[part[1]] });
      if (next) bid([next.actions.find((one) => one.choices)], next, amount);
    }
  }

  /** A field for the bid of each seat, once they are shown. */
  function sealedBids(state) {
    const bidOf = new Map(state.sealed.map(([seat, most]) => [seat, element("input",
      { type: "number", inputmode: "numeric", min: 0, max: most, required: true, id: `bid${seat}` })]));
    const fields = state.seats.map((name, seat) => element("label", { class: "field" }, element("span", {}, name), bidOf.get(seat)));
    return [element("form", { class: "sealed", onsubmit: (submitted) => {
      submitted.preventDefault();
      add({ bids: state.seats.map((_, seat) => bidOf.get(seat).valueAsNumber) });
    } }, element("h2", {}, say("bids_shown")), element("div", { class: "row" }, ...fields, element("button", { class: "primary" }, say("enter"))))];
  }

  /** Add an event; if it shows something hidden, ask what. The state then, or null. */
  async function add(one) {
    const next = { ...evening, events: [...evening.events, one] };
    try {
      const state = await ask("api/advice?", next);
      if (state.needs) choose(state.needs, one);
      else {
        keep(next);
        draw();
        return state;
      }
    } catch (error) {
      report(error.message);
    }
    return null;
  }

  function choose({ asks, least, size, choices }, one) {
    const chosen = new Set();
    const enough = element("button", { type: "button", class: "primary", disabled: least > 0, onclick: () => add({ ...one, shown: [...chosen] }) }, say("enter"));
    const buttons = choices.map(([id, name]) => element("button", { type: "button", "data-event": id, "aria-pressed": false, onclick: (tapped) => {
      if (least === 1 && size === 1) {
        add({ ...one, shown: [id] });
        return;
      }
      if (!chosen.delete(id)) chosen.add(id);
      tapped.target.setAttribute("aria-pressed", chosen.has(id));
      enough.disabled = chosen.size < least || chosen.size > size;
    } }, name));
    const place = main.querySelector(".advice .actions");
    place.replaceChildren(element("h2", {}, asks), ...buttons, size > 1 || !least ? enough : "",
      element("button", { type: "button", class: "quiet", onclick: draw }, word("back")));
    buttons[0].focus({ preventScroll: true });
  }

  function undo() {
    keep({ ...evening, events: evening.events.slice(0, -1) });
    draw();
  }

  /** The form with the table as it is now. */
  async function correct(position) {
    const before = { names: evening.names, position: position ?? evening.position };
    enter(await ask(`api/advice/${game}?players=${before.position.options.num_players}&`), before);
  }

  function another() {
    const { names } = evening; // kept until another one is taken
    change(game, names.length || "", names);
  }

  /** What the agent would do, if it is the player's decision. */
  function answerPanel(state) {
    const place = element("section", { class: "panel answer", "aria-live": "polite" }, element("h2", {}, say("answer")));
    if (!state.advised) {
      place.append(element("p", {}, state.over ? word("over") : say("not_yours")));
      return place;
    }
    const told = element("div", { class: "thoughts" });
    const agent = agents.some(([name]) => name === stored("advice_agent", "")) ? stored("advice_agent", "") : agents[0][0];
    place.append(told, element("label", { class: "field" }, element("span", {}, word("agent")), select(agents, agent, (name) => {
      store("advice_agent", name);
      tell(told, name);
    }, { id: "advice_agent" })));
    tell(told, agent);
    return place;
  }

  async function tell(place, agent) {
    const asked = evening;
    const answer = (name) => ask(`api/advice/answer?agent=${encodeURIComponent(name)}&`, asked);
    const waiting = element("p", {}, word("thinking"));
    place.replaceChildren(waiting);
    const found = answer(agent);
    if (agent === agents[0][0]) answer(first).then(({ text }) => { waiting.textContent = word("hint_first", { action: text }); }, () => {});
    try {
      const { text, why, reasons, ...rest } = await found;
      place.replaceChildren(element("p", { class: "advised" }, text), why ? element("p", { class: "why" }, why) : "",
        element("ul", { class: "notes" }, ...reasons.filter((reason) => !why.includes(reason)).map((reason) => element("li", {}, reason))),
        element("details", { open: form() === "wide" }, element("summary", {}, say("how_sure")), ...thoughtsOf({ ...rest, note: "" })));
    } catch (error) {
      place.replaceChildren(element("p", { role: "alert" }, error.message));
    }
  }

  /** The evening as files, and as a program. */
  function exports(state) {
    const save = (name, content, type) => {
      const address = URL.createObjectURL(new Blob([content], { type }));
      element("a", { href: address, download: name }).click();
      setTimeout(() => URL.revokeObjectURL(address), 60000);
    };
    const button = (key, onclick, text = say(key)) => element("button", { type: "button", class: "quiet", "data-export": key, onclick }, text);
    const replay = async () => JSON.stringify(await ask("api/advice/replay?", evening));
    return [element("p", { class: "row" },
      button("evening", () => save("evening.json", JSON.stringify(evening, null, 1), "application/json")),
      button("replay", async () => save("replay.json", await replay(), "application/json"), word("save_replay")),
      button("watch", async () => {
        const { replay: name } = await request("api/replays", { method: "POST", body: await replay() });
        location.hash = `#/replay/${name}`;
      }, word("watch_replay"))),
    state.python ? element("details", {}, element("summary", {}, "Python"), element("pre", { tabindex: 0 }, state.python)) : ""];
  }
}
