// What the form of a position asks of Warehouse 51: relics are tapped for their owners, counterfeits, and the lot.

import { bidFields, brushButtons, nextOne, numberFields } from "./advice_fields.js";
import { element } from "./dom.js";

const OTHER = { unsold: "unsold", pawned: "pawned", lot: "lot", deck: "deck" }; // what a tap says, beside owners and gaps

/** The parts of the form of `form` (`askedPosition`): `first()`, `rest()`, `read(position)` and `position()`. */
export function askedRelics(form, say) {
  const { table, names, count } = form;
  const last = count - 1; // the gap between the last seat and oneself
  let brush = "left";
  const owner = new Map(); // a seat, unsold or lot, by relic
  const pawned = new Set();
  const fakes = { left: new Set(), right: new Set() };
  const money = form.players.map(({ ingots }) => ingots);
  let kept = {}; // what the form does not ask
  let looked = {}; // counterfeits of other gaps that one has seen
  form.found = { revealer: 0, bid: 0, leader: null, passed: [], to_move: null };
  return { first, rest, read, position };

  function read({ ingots, relics, gaps, unsold = [], pawned: tokens = [], lot: auctioned, revealer, bid = 0, leader = null, passed = [], to_move, ...rest }) {
    relics?.forEach((owned, seat) => owned.forEach((relic) => owner.set(relic, seat)));
    unsold.forEach((relic) => owner.set(relic, "unsold"));
    tokens.forEach((relic) => pawned.add(relic));
    if (auctioned && !owner.has(auctioned)) owner.set(auctioned, "lot");
    fakes.left = new Set(gaps["0"]);
    fakes.right = new Set(gaps[String(last)]);
    money.splice(0, count, ...ingots ?? money);
    form.found = { revealer, bid, leader, passed, to_move };
    looked = Object.fromEntries((rest.looked?.["0"] ?? []).map((gap) => [gap, gaps[gap]]));
    kept = { ...rest, ...(rest.phase ? { lot: auctioned } : {}) };
    for (const key of ["game", "options", "seat"]) delete kept[key];
  }

  function lot() {
    return [...owner].find(([, place]) => place === "lot")?.[0] ?? null;
  }

  function first() {
    const seats = names.map((name, seat) => [String(seat), name]);
    return [form.chosen("revealer", seats, say(form.running ? "revealer" : "beginner")),
      ...form.running ? numberFields("ingots", money, (seat) => say("ingots", { name: names[seat] })) : []];
  }

  function rest() {
    return [board(), ...form.running ? auction() : []];
  }

  /** What a tap on a relic says, and all relics by colour. */
  function board() {
    const cards = table.gaps[0].cards;
    const gaps = [["left", names[1]], ["right", names[last]]];
    const brushes = [...gaps.map(([side, name]) => [side, `${say("fakes", { name })} (${fakes[side].size}/${cards})`]),
      ...form.running ? [...names.map((name, seat) => [String(seat), name]), ...Object.entries(OTHER).map(([id, key]) => [id, say(key)])] : []];
    if (!brushes.some(([id]) => id === brush)) [[brush]] = brushes;
    return element("fieldset", { "data-field": "gaps relics pawned" }, element("legend", {}, say("tap_for")),
      brushButtons(brushes, brush, (id) => { brush = id; form.draw(); }),
      ...table.categories.map((category) => element("div", { class: `deck ${category}`, role: "group", "aria-label": form.categories[category] },
        ...Object.values(table.relics).filter((relic) => relic.category === category).map(card))));
  }

  function card({ id, name, counterfeit }) {
    const place = owner.get(id);
    const marks = [place === undefined ? "" : typeof place === "number" ? names[place] : say(place), pawned.has(id) ? say("pawned") : "",
      ...[["left", names[1]], ["right", names[last]]].filter(([side]) => fakes[side].has(id)).map(([, other]) => say("fake_mark", { name: other }))];
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
    form.draw();
  }

  /** The bids for the lot. */
  function auction() {
    const relic = table.relics[lot()];
    if (!relic || relic.weapon) return [element("p", { class: "note" }, say(relic ? "blind" : "no_lot"))];
    return bidFields(form, say("standing_bid"), say);
  }

  function position() {
    const { revealer, bid, leader, passed, to_move } = form.found;
    const at = (place) => Object.keys(table.relics).filter((relic) => owner.get(relic) === place);
    const begun = { gaps: { 0: [...fakes.left], [last]: [...fakes.right], ...looked }, revealer };
    if (!form.running) return begun;
    const made = { ...kept, ...begun, ingots: money, relics: names.map((_, seat) => at(seat)), unsold: at("unsold"), pawned: [...pawned] };
    if (!lot()) return made;
    const bids = table.relics[lot()].weapon ? {} : { bid, leader, passed, to_move: to_move ?? nextOne(form, revealer + 1) };
    return { ...made, lot: lot(), ...bids };
  }
}
