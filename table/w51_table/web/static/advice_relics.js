// What the form of a position asks of Warehouse 51: relics are tapped for their owners, counterfeits, and the lot.

import { bidFields, brushButtons, nextOne, numberFields, plain, seatOptions } from "./advice_fields.js";
import { element, find, findAll, labelled } from "./dom.js";

const OTHER = ["unsold", "pawned", "lot", "deck"]; // what a tap says, beside owners and gaps
const ABOUT_LOT = ["phase", "lot", "turn"]; // fields that a tap makes void

/** The part of a form about the relics. */
export class AskedRelics {
  brush = "left";
  /** @type {Map<string, number | string>} */
  owner = new Map(); // a seat, unsold or lot, by relic
  /** @type {Set<string>} */
  pawned = new Set();
  /** @type {{left: Set<string>, right: Set<string>}} */
  fakes = { left: new Set(), right: new Set() };
  /** @type {Record<string, any>} */
  kept = {}; // what the form does not ask
  /** @type {Record<string, any>} */
  looked = {}; // counterfeits of other gaps that one has seen

  /** @param {import("./advice_fields.js").Asked} form @param {import("./advice_fields.js").Say} say */
  constructor(form, say) {
    this.form = form;
    this.say = say;
    this.last = form.count - 1; // the gap between the last seat and oneself
    this.money = form.players.map(({ ingots }) => ingots);
    form.found = { revealer: 0, bid: 0, leader: null, passed: [], to_move: null };
  }

  /** Take over a position. @param {import("./advice_fields.js").Position} found */
  read(found) {
    const { ingots = [], relics, gaps = {}, unsold = [], pawned = [], lot, revealer, bid = 0, leader = null,
      passed = [], to_move, ...rest } = found;
    relics?.forEach((owned, seat) => owned.forEach((relic) => this.owner.set(relic, seat)));
    unsold.forEach((relic) => this.owner.set(relic, "unsold"));
    pawned.forEach((relic) => this.pawned.add(relic));
    if (lot && !this.owner.has(lot)) this.owner.set(lot, "lot");
    this.fakes = { left: new Set(gaps["0"]), right: new Set(gaps[String(this.last)]) };
    this.money.splice(0, ingots.length, ...ingots);
    this.form.found = { revealer, bid, leader, passed, to_move };
    this.looked = Object.fromEntries((rest.looked?.["0"] ?? []).map((/** @type {string} */ gap) => [gap, gaps[gap]]));
    this.kept = { ...rest, ...(rest.phase ? { lot } : {}) };
    for (const key of ["game", "options", "seat"]) delete this.kept[key];
  }

  lot() {
    return [...this.owner].find(([, place]) => place === "lot")?.[0] ?? null;
  }

  first() {
    const { form, say } = this;
    return [form.chosen("revealer", seatOptions(form.names), say(form.running ? "revealer" : "beginner")),
      ...form.running ? numberFields("ingots", this.money, (seat) => say("ingots", { name: form.names[seat] })) : []];
  }

  rest() {
    return [this.board(), ...this.form.running ? this.auction() : []];
  }

  /** The gaps beside the own seat, each with the name of who sits beyond. @returns {["left" | "right", string][]} */
  gaps() {
    return [["left", this.form.names[1]], ["right", this.form.names[this.last]]];
  }

  /** @returns {[string, string][]} */
  brushes() {
    const { form, say } = this;
    const cards = form.table.gaps[0].cards;
    /** @type {[string, string][]} */
    const fakes = this.gaps().map(([side, name]) =>
      [side, `${say("fakes", { name })} (${this.fakes[side].size}/${cards})`]);
    if (!form.running) return fakes;
    return [...fakes, ...seatOptions(form.names), ...OTHER.map((id) =>
      /** @type {[string, string]} */ ([id, say(id)]))];
  }

  /** What a tap on a relic says, and all relics by colour. */
  board() {
    const { form, say } = this;
    const brushes = this.brushes();
    if (!brushes.some(([id]) => id === this.brush)) [[this.brush]] = brushes;
    const choose = (/** @type {string} */ id) => {
      this.brush = id;
      form.draw();
    };
    const deck = (/** @type {string} */ category) => element("div",
      { class: `deck ${category}`, role: "group", "aria-label": form.categories[category] },
      ...Object.values(form.table.relics).filter((one) => one.category === category).map((one) => this.card(one)));
    return element("fieldset", { "data-field": "gaps relics pawned" }, element("legend", {}, say("tap_for")),
      brushButtons(brushes, this.brush, choose), this.finder(), ...form.table.categories.map(deck));
  }

  /** A field in which the first letters of a word of a relic and Enter are a tap on it. */
  finder() {
    const { form, say } = this;
    /** @param {HTMLInputElement} input */
    const found = (input) => {
      const letters = plain(input.value.trim());
      const cards = findAll(find(document, ".position"), ".deck button:not([disabled])");
      return letters ? cards.filter(({ id }) => {
        const name = plain(form.table.relics[id.replace("relic-", "")].name);
        return name.startsWith(letters) || name.split(/[\s'’-]+/).some((part) => part.startsWith(letters));
      }) : [];
    };
    const input = element("input", { id: "find-relic", autocomplete: "off", maxlength: 24, oninput: ({ target }) => {
      for (const card of findAll(document, ".deck .found")) card.classList.remove("found");
      for (const card of found(target)) card.classList.add("found");
    }, onkeydown: (event) => {
      if (event.key !== "Enter") return;
      event.preventDefault();
      const cards = found(input);
      if (cards.length === 1) this.tap(cards[0].id.replace("relic-", ""));
    } });
    return labelled(say("find"), input);
  }

  /** @param {{id: string, name: string, counterfeit: boolean}} relic */
  card({ id, name, counterfeit }) {
    const { say, brush } = this;
    const place = this.owner.get(id);
    const known = this.gaps().filter(([side]) => this.fakes[side].has(id));
    const fakes = known.map(([, other]) => say("fake_mark", { name: other }));
    const owner = typeof place === "number" ? this.form.names[place] : place === undefined ? "" : say(place);
    const text = [owner, this.pawned.has(id) ? say("pawned") : "", ...fakes].filter(Boolean).join(", ");
    const useless = (brush === "left" || brush === "right") && !counterfeit;
    return element("button", { type: "button", id: `relic-${id}`, class: text ? "marked" : "", disabled: useless,
      onclick: () => this.tap(id) }, name, text ? element("small", {}, text) : null);
  }

  /** @param {string} id */
  tap(id) {
    const { brush, owner, pawned } = this;
    if (brush === "left" || brush === "right") this.tapFake(id, brush);
    else if (brush === "pawned") {
      if (!pawned.delete(id)) pawned.add(id);
    } else if (brush === "deck") {
      owner.delete(id);
    } else {
      const wanted = OTHER.includes(brush) ? brush : Number(brush);
      const before = this.lot();
      if (wanted === "lot" && before) owner.delete(before);
      if (owner.get(id) === wanted) owner.delete(id);
      else owner.set(id, wanted);
    }
    this.kept = Object.fromEntries(Object.entries(this.kept).filter(([key]) => !ABOUT_LOT.includes(key)));
    this.form.draw();
  }

  /** @param {string} id @param {"left" | "right"} side */
  tapFake(id, side) {
    const { cards } = this.form.table.gaps[0];
    const fakes = this.fakes[side];
    if (!fakes.delete(id)) fakes.add(id);
    if (fakes.size > cards) fakes.delete([...fakes][0]); // the oldest goes
    if (side === "left" && fakes.size === cards) this.brush = "right";
  }

  /** The bids for the lot. */
  auction() {
    const { form, say } = this;
    const relic = form.table.relics[this.lot() ?? ""];
    if (!relic || relic.weapon) return [element("p", { class: "note" }, say(relic ? "blind" : "no_lot"))];
    return bidFields(form, say("standing_bid"), say);
  }

  position() {
    const { form, fakes, last } = this;
    const { revealer, bid, leader, passed, to_move } = form.found;
    const at = (/** @type {string | number} */ place) =>
      Object.keys(form.table.relics).filter((relic) => this.owner.get(relic) === place);
    const begun = { gaps: { 0: [...fakes.left], [last]: [...fakes.right], ...this.looked }, revealer };
    if (!form.running) return begun;
    const made = { ...this.kept, ...begun, ingots: this.money, relics: form.names.map((_, seat) => at(seat)),
      unsold: at("unsold"), pawned: [...this.pawned] };
    const lot = this.lot();
    if (!lot) return made;
    if (form.table.relics[lot].weapon) return { ...made, lot };
    return { ...made, lot, bid, leader, passed, to_move: to_move ?? nextOne(form, revealer + 1) };
  }
}
