// The form of a position of Warehouse 51: relics are tapped for their owners, counterfeits, and the lot.

import { element, labelled, report, select, word } from "./dom.js";

const OTHER = { unsold: "unsold", pawned: "pawned", lot: "lot", deck: "deck" }; // what a tap says, beside owners and gaps
const FIRST_NAMES = ["", "Ben", "Zoe", "Max", "Eva"];

/**
 * The form as an element. `blank` is an untouched table; `before` has the names and the position to begin with; `done`
 * takes the evening, and fails with what contradicts itself; `load` takes a file.
 */
export function askedPosition({ game, blank, before, say, ask, done, load }) {
  const form = element("form", { class: "panel position", novalidate: true, onsubmit: submit });
  const mistake = element("p", { class: "mistake", role: "alert" });
  let { table } = blank;
  let start = blank.players.map(({ ingots }) => ingots);
  let players = start.length;
  let names = Array.from({ length: players }, (_, seat) => before?.names[seat] || nameOf(seat));
  let running = Boolean(before?.position);
  let brush = "left";
  const owner = new Map(); // a seat, unsold or lot, by relic
  const pawned = new Set();
  const fakes = { left: new Set(), right: new Set() };
  let found = { revealer: 0, bid: 0, leader: null, passed: [], to_move: null };
  let money = [...start];
  let kept = {}; // what the form does not ask
  if (before?.position) read(before.position);
  draw();
  return form;

  function nameOf(seat) {
    return FIRST_NAMES[seat] || word("player", { seat: seat + 1 });
  }

  function read({ ingots, relics, gaps, unsold = [], pawned: tokens = [], lot, revealer, bid = 0, leader = null, passed = [], to_move, ...rest }) {
    relics?.forEach((owned, seat) => owned.forEach((relic) => owner.set(relic, seat)));
    unsold.forEach((relic) => owner.set(relic, "unsold"));
    tokens.forEach((relic) => pawned.add(relic));
    if (lot && !owner.has(lot)) owner.set(lot, "lot");
    fakes.left = new Set(gaps["0"]);
    fakes.right = new Set(gaps[String(players - 1)]);
    money = [...ingots ?? start];
    found = { revealer, bid, leader, passed, to_move };
    kept = { ...rest, ...(rest.phase ? { lot } : {}) };
    delete kept.gaps;
  }

  function lot() {
    return [...owner].find(([, place]) => place === "lot")?.[0] ?? null;
  }

  function draw() {
    const focused = document.activeElement?.id;
    const seats = names.map((name, seat) => [String(seat), name]);
    const chosen = (key, options, label) => labelled(label, select(options, String(found[key]),
      (value) => { found[key] = JSON.parse(value); draw(); }, { id: key }));
    form.replaceChildren(element("p", {}, say("about")),
      element("div", { class: "row" },
        labelled(word("players"), select(["3", "4", "5"].map((count) => [count, count]), String(players), resize, { id: "players" })),
        ...names.map((name, seat) => labelled(seat ? word("name", { seat: seat + 1 }) : say("your_name"), element("input", { id: `name${seat}`, maxlength: 24,
          autocomplete: "off", value: name, onchange: (event) => { names[seat] = event.target.value.trim() || nameOf(seat); later(); } })))),
      element("div", { class: "row" },
        labelled(say("how_far"), select([["false", say("begins")], ["true", say("under_way")]], String(running), (value) => {
          running = value === "true";
          draw();
        }, { id: "running" })),
        chosen("revealer", seats, running ? say("revealer") : say("beginner")),
        ...running ? names.map((name, seat) => labelled(say("ingots", { name }), element("input", { type: "number", inputmode: "numeric",
          min: 0, id: `ingots${seat}`, value: money[seat], oninput: (event) => { money[seat] = event.target.valueAsNumber || 0; } }))) : []),
      board(), ...running ? auction(seats, chosen) : [], mistake,
      element("p", { class: "row" }, element("button", { class: "primary", id: "take" }, say("take"))),
      labelled(say("load"), element("input", { type: "file", accept: ".json,application/json", onchange: opened })));
    if (focused) document.getElementById(focused)?.focus({ preventScroll: true });
  }

  /** Draw again once the control that is chosen next has the focus. */
  function later() {
    setTimeout(() => { if (form.isConnected) draw(); });
  }

  async function resize(count) {
    players = Number(count);
    const other = await ask(`api/advice/${game}?players=${players}&`);
    table = other.table;
    start = other.players.map(({ ingots }) => ingots);
    names = Array.from({ length: players }, (_, seat) => names[seat] ?? nameOf(seat));
    money = Array.from({ length: players }, (_, seat) => money[seat] ?? start[seat]);
    for (const [relic, place] of owner) if (place >= players) owner.delete(relic);
    found = { revealer: Math.min(found.revealer, players - 1), bid: 0, leader: null, passed: [], to_move: null };
    draw();
  }

  /** What a tap on a relic says, and all relics by colour. */
  function board() {
    const cards = table.gaps[0].cards;
    const gaps = [["left", names[1]], ["right", names[players - 1]]];
    const brushes = [...gaps.map(([side, name]) => [side, `${say("fakes", { name })} (${fakes[side].size}/${cards})`]),
      ...running ? [...names.map((name, seat) => [String(seat), name]), ...Object.entries(OTHER).map(([id, key]) => [id, say(key)])] : []];
    if (!brushes.some(([id]) => id === brush)) [[brush]] = brushes;
    return element("fieldset", {}, element("legend", {}, say("tap_for")),
      element("div", { class: "brushes" }, ...brushes.map(([id, text]) => element("button", { type: "button", id: `brush-${id}`,
        "aria-pressed": String(id === brush), onclick: () => { brush = id; draw(); } }, text))),
      ...table.categories.map((category) => element("div", { class: `deck ${category}`, role: "group", "aria-label": blank.categories[category] },
        ...Object.values(table.relics).filter((relic) => relic.category === category).map(card))));
  }

  function card({ id, name, counterfeit }) {
    const place = owner.get(id);
    const marks = [place === undefined ? "" : typeof place === "number" ? names[place] : say(place), pawned.has(id) ? say("pawned") : "",
      ...[["left", names[1]], ["right", names[players - 1]]].filter(([side]) => fakes[side].has(id)).map(([, other]) => say("fake_mark", { name: other }))];
    const text = marks.filter(Boolean).join(", ");
    const useless = (brush === "left" || brush === "right") && !counterfeit;
    return element("button", { type: "button", id: `relic-${id}`, class: text ? "marked" : "", disabled: useless, onclick: () => tap(id) },
      name, text ? element("small", {}, text) : null);
  }

  function tap(id) {
    if (brush === "left" || brush === "right") {
      const side = fakes[brush];
      if (!side.delete(id)) side.add(id);
      if (side.size > table.gaps[0].cards) side.delete(side.values().next().value); // the oldest goes
      if (brush === "left" && side.size === table.gaps[0].cards) brush = "right";
    } else if (brush === "pawned") {
      if (!pawned.delete(id)) pawned.add(id);
    } else if (brush === "deck") {
      owner.delete(id);
    } else {
      const wanted = brush in OTHER ? brush : Number(brush);
      if (wanted === "lot" && lot()) owner.delete(lot());
      if (owner.get(id) === wanted) owner.delete(id);
      else owner.set(id, wanted);
    }
    kept = Object.fromEntries(Object.entries(kept).filter(([key]) => !["phase", "lot", "turn"].includes(key)));
    draw();
  }

  /** The bids for the lot. */
  function auction(seats, chosen) {
    const relic = table.relics[lot()];
    if (!relic || relic.weapon) return [element("p", { class: "note" }, relic ? say("blind") : say("no_lot"))];
    return [element("div", { class: "row" },
      labelled(say("standing_bid"), element("input", { type: "number", inputmode: "numeric", min: 0, id: "standing", value: found.bid,
        onchange: (event) => { found.bid = event.target.valueAsNumber || 0; if (!found.bid) found.leader = null; later(); } })),
      found.bid ? chosen("leader", [["null", "–"], ...seats], say("leader")) : "",
      chosen("to_move", [["null", say("next_one")], ...seats], say("to_move"))),
    element("fieldset", {}, element("legend", {}, say("passed")), element("div", { class: "row" }, ...names.map((name, seat) =>
      element("label", { class: "check" }, element("input", { type: "checkbox", checked: found.passed.includes(seat), onchange: (event) => {
        found.passed = found.passed.filter((one) => one !== seat).concat(event.target.checked ? [seat] : []);
        draw();
      } }), name))))];
  }

  /** The seat that bids next: after the one who leads, or after the revealer, the first that has not passed. */
  function nextOne() {
    const order = Array.from({ length: players }, (_, step) => ((found.leader ?? found.revealer) + 1 + step) % players);
    return order.find((seat) => !found.passed.includes(seat)) ?? found.revealer;
  }

  function position() {
    const all = Object.keys(table.relics);
    const at = (place) => all.filter((relic) => owner.get(relic) === place);
    const gaps = { 0: [...fakes.left], [players - 1]: [...fakes.right], ...Object.fromEntries((kept.looked?.["0"] ?? []).map((gap) => [gap, before.position.gaps[gap]])) };
    const begun = { game, options: before?.position?.options ?? { num_players: players }, seat: 0, gaps, revealer: found.revealer };
    begun.options = { ...begun.options, num_players: players };
    if (!running) return begun;
    const made = { ...kept, ...begun, ingots: money, relics: names.map((_, seat) => at(seat)), unsold: at("unsold"), pawned: [...pawned] };
    if (!lot()) return made;
    const bids = table.relics[lot()].weapon ? {} : { bid: found.bid, leader: found.leader, passed: found.passed, to_move: found.to_move ?? nextOne() };
    return { ...made, lot: lot(), ...bids };
  }

  async function attempt(act) {
    try {
      report("");
      mistake.textContent = "";
      await act();
    } catch (error) {
      mistake.textContent = error.message;
      mistake.scrollIntoView({ block: "center" });
    }
  }

  function submit(event) {
    event.preventDefault();
    attempt(() => done({ position: position(), names, events: [] }));
  }

  function opened(event) {
    attempt(() => load(event.target.files[0]));
  }
}
