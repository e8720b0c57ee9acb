// What the form of a position asks of Alles Futsch!: cards are tapped for the row, the auction and those that are gone.

import { bidFields, brushButtons, nextOne, numberField, numberFields, seatOptions } from "./advice_fields.js";
import { element, labelled, select } from "./dom.js";

const ROW = 5; // cards on the table
const THOUSAND = 1000;
const ABOUT_LOT = ["phase", "to_place", "selling", "added"]; // fields that another card for auction makes void

/** The part of a form about the cards. */
export class AskedCards {
  brush = "row";
  /** @type {Map<string, string>} */
  place = new Map(); // row, lot or gone, by card
  /** @type {Record<string, any>} */
  kept = {}; // what the form does not ask

  /** @param {import("./advice_fields.js").Asked} form @param {import("./advice_fields.js").Say} say */
  constructor(form, say) {
    this.form = form;
    this.say = say;
    this.types = Object.keys(form.table.types);
    this.money = form.players.map((player) => player.money / THOUSAND);
    this.lacks = form.players.map((player) => player.lacks);
    /** @type {Record<string, number>[]} */
    this.objects = form.names.map(() => ({}));
    form.found = { selector: 0, bid: 0, leader: null, passed: [], to_move: null };
  }

  /** Take over a position. @param {import("./advice_fields.js").Position} found */
  read(found) {
    const { form } = this;
    found.face_up?.filter((card) => card in form.cards).forEach((card) => this.place.set(card, "row"));
    found.gone?.forEach((card) => this.place.set(card, "gone"));
    if (found.card) this.place.set(found.card, "lot");
    const { money = [], lacks = [] } = found;
    this.money.splice(0, money.length, ...money);
    this.lacks.splice(0, lacks.length, ...lacks);
    found.objects?.forEach((owned, seat) => Object.assign(this.objects[seat], owned));
    const { selector = 0, bid = 0, leader = null, passed = [], to_move = null } = found;
    form.found = { selector, bid, leader, passed, to_move };
    const others = [...ABOUT_LOT, "lost"].filter((key) => key in found);
    this.kept = Object.fromEntries(others.map((key) => [key, found[key]]));
  }

  /** The cards at a place. @param {string} where */
  at(where) {
    return [...this.place].filter(([, here]) => here === where).map(([card]) => card);
  }

  first() {
    const { form, say } = this;
    return [form.chosen("selector", seatOptions(form.names), say("selector")),
      ...form.running ? numberFields("money", this.money, (seat) => say("money", { name: form.names[seat] })) : []];
  }

  rest() {
    const { form, say } = this;
    const players = [...form.names.map((name, seat) => this.player(name, seat)), this.board()];
    if (!form.running) return players;
    const bids = this.at("lot").length ? bidFields(form, say("standing_thousands"), say) : null;
    return [...players, ...bids ?? [element("p", { class: "note" }, say("no_card"))]];
  }

  /** The type that a player has no row for, and how many objects of the others. @param {string} name
   * @param {number} seat */
  player(name, seat) {
    const { form, say, types, objects, lacks } = this;
    const label = (/** @type {string} */ type) => form.table.types[type];
    const choice = select(types.map((type) => [type, label(type)]), lacks[seat], (type) => {
      lacks[seat] = type;
      delete objects[seat][type];
      form.draw();
    }, { id: `lacks${seat}`, "data-field": "lacks" });
    const owned = types.filter((type) => type !== lacks[seat]);
    const numbers = owned.map((type) => numberField(label(type), `${type}${seat}`, objects[seat][type] ?? 0,
      `objects[${seat}].${type}`, (entered) => { objects[seat][type] = entered; }));
    return element("fieldset", {}, element("legend", {}, name), element("div", { class: "row" },
      labelled(say("lacks"), choice), ...form.running ? numbers : []));
  }

  /** What a tap on a card says, and all cards by their first object. */
  board() {
    const { form, say } = this;
    /** @type {[string, string][]} */
    const later = form.running ? [["lot", say("lot")], ["gone", say("gone")]] : [];
    const choose = (/** @type {string} */ id) => {
      this.brush = id;
      form.draw();
    };
    const deck = (/** @type {string} */ type) => element("div",
      { class: "deck", role: "group", "aria-label": form.table.types[type] },
      ...Object.entries(form.cards).filter(([card]) => card.startsWith(type)).map((card) => this.card(...card)));
    return element("fieldset", { "data-field": "face_up" }, element("legend", {}, say("tap_cards")),
      brushButtons([["row", `${say("in_row")} (${this.at("row").length}/${ROW})`], ...later], this.brush, choose),
      ...this.types.map(deck));
  }

  /** @param {string} id @param {string} name */
  card(id, name) {
    const { say } = this;
    const where = { row: say("in_row"), lot: say("lot"), gone: say("gone") }[this.place.get(id) ?? ""];
    return element("button", { type: "button", id: `card-${id.replaceAll("+", "-")}`, class: where ? "marked" : "",
      onclick: () => this.tap(id) }, name, where ? element("small", {}, where) : null);
  }

  /** @param {string} id */
  tap(id) {
    const { brush, place } = this;
    if (brush === "lot") this.at("lot").forEach((other) => place.delete(other));
    if (place.get(id) === brush) place.delete(id);
    else place.set(id, brush);
    if (brush === "row" && this.at("row").length > ROW) place.delete(this.at("row")[0]); // the oldest goes
    for (const key of ABOUT_LOT) delete this.kept[key];
    this.form.draw();
  }

  position() {
    const { form, lacks, money, objects } = this;
    const { selector, bid, leader, passed, to_move } = form.found;
    const begun = { selector, lacks, face_up: this.at("row") };
    if (!form.running) return begun;
    const made = { ...this.kept, ...begun, money, objects, gone: this.at("gone") };
    const [auctioned] = this.at("lot");
    if (!auctioned) return made;
    const led = bid ? { bid, leader } : {};
    return { ...made, card: auctioned, ...led, passed, to_move: to_move ?? nextOne(form, selector) };
  }
}
