// What the form of a position asks of Alles Futsch!: cards are tapped for the row, the auction and those that are gone.

import { bidFields, brushButtons, nextOne, numberField, numberFields } from "./advice_fields.js";
import { element, labelled, select } from "./dom.js";

const ROW = 5; // cards on the table
const THOUSAND = 1000;
const ABOUT_LOT = ["phase", "to_place", "selling", "added"]; // fields that another card for auction makes void

/** The parts of the form of `form` (`askedPosition`): `first()`, `rest()`, `read(position)` and `position()`. */
export function askedCards(form, say) {
  const { names, count, table } = form;
  const types = Object.keys(table.types);
  let brush = "row";
  const place = new Map(); // row, lot or gone, by card
  const money = form.players.map((player) => player.money / THOUSAND);
  const lacks = form.players.map((player) => player.lacks);
  const objects = names.map(() => ({}));
  let kept = {}; // what the form does not ask
  form.found = { selector: 0, bid: 0, leader: null, passed: [], to_move: null };
  return { first, rest, read, position };

  function read(found) {
    found.face_up?.filter((card) => card in form.cards).forEach((card) => place.set(card, "row"));
    found.gone?.forEach((card) => place.set(card, "gone"));
    if (found.card) place.set(found.card, "lot");
    money.splice(0, count, ...found.money ?? money);
    lacks.splice(0, count, ...found.lacks ?? lacks);
    found.objects?.forEach((owned, seat) => Object.assign(objects[seat], owned));
    const { selector = 0, bid = 0, leader = null, passed = [], to_move = null } = found;
    form.found = { selector, bid, leader, passed, to_move };
    kept = Object.fromEntries([...ABOUT_LOT, "lost"].filter((key) => key in found).map((key) => [key, found[key]]));
  }

  function at(where) {
    return [...place].filter(([, here]) => here === where).map(([card]) => card);
  }

  function first() {
    return [form.chosen("selector", names.map((name, seat) => [String(seat), name]), say("selector")),
      ...form.running ? numberFields("money", money, (seat) => say("money", { name: names[seat] })) : []];
  }

  function rest() {
    return [...names.map(player), board(), ...form.running ? at("lot").length ? bidFields(form, say("standing_thousands"), say) : [element("p", { class: "note" }, say("no_card"))] : []];
  }

  /** The type that a player has no row for, and how many objects of the others. */
  function player(name, seat) {
    const label = (type) => table.types[type];
    return element("fieldset", {}, element("legend", {}, name), element("div", { class: "row" },
      labelled(say("lacks"), select(types.map((type) => [type, label(type)]), lacks[seat], (type) => {
        lacks[seat] = type;
        delete objects[seat][type];
        form.draw();
      }, { id: `lacks${seat}`, "data-field": "lacks" })),
      ...form.running ? types.filter((type) => type !== lacks[seat]).map((type) => numberField(label(type), `${type}${seat}`,
        objects[seat][type] ?? 0, `objects[${seat}].${type}`, (entered) => { objects[seat][type] = entered; })) : []));
  }

  /** What a tap on a card says, and all cards by their first object. */
  function board() {
    const brushes = [["row", `${say("in_row")} (${at("row").length}/${ROW})`], ...form.running ? [["lot", say("lot")], ["gone", say("gone")]] : []];
    return element("fieldset", { "data-field": "face_up" }, element("legend", {}, say("tap_cards")),
      brushButtons(brushes, brush, (id) => { brush = id; form.draw(); }),
      ...types.map((type) => element("div", { class: "deck", role: "group", "aria-label": table.types[type] },
        ...Object.entries(form.cards).filter(([card]) => card.startsWith(type)).map(card))));
  }

  function card([id, name]) {
    const where = { row: say("in_row"), lot: say("lot"), gone: say("gone") }[place.get(id)];
    return element("button", { type: "button", id: `card-${id.replaceAll("+", "-")}`, class: where ? "marked" : "", onclick: () => tap(id) },
      name, where ? element("small", {}, where) : null);
  }

  function tap(id) {
    if (brush === "lot") at("lot").forEach((other) => place.delete(other));
    if (place.get(id) === brush) place.delete(id);
    else place.set(id, brush);
    if (brush === "row" && at("row").length > ROW) place.delete(at("row")[0]); // the oldest goes
    for (const key of ABOUT_LOT) delete kept[key];
    form.draw();
  }

  function position() {
    const { selector, bid, leader, passed, to_move } = form.found;
    const begun = { selector, lacks, face_up: at("row") };
    if (!form.running) return begun;
    const made = { ...kept, ...begun, money, objects, gone: at("gone") };
    const [auctioned] = at("lot");
    if (!auctioned) return made;
    const led = bid ? { bid, leader } : {};
    return { ...made, card: auctioned, ...led, passed, to_move: to_move ?? nextOne(form, selector) };
  }
}
