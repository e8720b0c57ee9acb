// The form of a new table: game, seats, rules and options, which the browser keeps.

import { change } from "./api.js";
import { button, element, find, findAll, labelled, report, select } from "./dom.js";
import { beginLevel, chosenLevel } from "./levels.js";
import { optionField } from "./options.js";
import { store, stored } from "./storage.js";
import { remember } from "./tables.js";
import { agentName, has, paceName, word } from "./words.js";

const PERSON = "person";
const NAMES = ["Ida", "Max", "Zoe", "Ben", "Eva"];
const USUAL = ["pretrained", "equilibrium", "half"]; // opponents, the best first
let open = false; // the options are shown

/**
 * What was chosen; what is missing is as usual.
 * @typedef {object} Chosen
 * @property {string} game
 * @property {string} [preset]
 * @property {number} [players]
 * @property {Record<number, string>} seats who holds each
 * @property {Record<number, string>} names
 * @property {Record<string, import("./options.js").Option>} options
 * @property {number | null} [pace]
 * @property {number | null} [clock]
 * @property {string | null} [seed]
 */

/** @param {string} name */
const presetName = (name) => (has(`preset_${name}`) ? word(`preset_${name}`) : name);

/** The usual opponent among the agents of a game. No equilibrium is known by many options that a visitor can change.
 * @param {string[]} agents @param {boolean} isChanged some option is not as in the preset */
export function usualAgent(agents, isChanged) {
  const known = USUAL.find((name) => agents.includes(name) && !(isChanged && name === "equilibrium"));
  return known ?? agents[1] ?? agents[0];
}

export class NewTable {
  /** @param {Server.Offer} offer */
  constructor(offer) {
    this.offer = offer;
    /** @type {Chosen} */
    this.chosen = { seats: {}, names: {}, options: {}, ...stored("form", { game: "" }) };
    if (!offer.games.some((game) => game.id === this.chosen.game)) this.chosen.game = offer.games[0].id;
    const keep = () => store("form", this.chosen); // it is drawn again in another language, or after the page was left
    this.form = element("form", { class: "panel start", onchange: keep, oninput: keep, onsubmit: (event) => {
      event.preventDefault();
      this.begin(this.holders());
    } });
    this.draw();
  }

  /** The chosen game. */
  get game() {
    return this.offer.games.find((one) => one.id === this.chosen.game) ?? this.offer.games[0];
  }

  /** The chosen rules. */
  get preset() {
    const { presets } = this.game;
    return presets.find((one) => one.name === this.chosen.preset) ?? presets[0];
  }

  get players() {
    const { game } = this;
    const { players } = this.chosen;
    return players && game.players.includes(players) ? players : this.preset?.players ?? game.default_players;
  }

  draw() {
    const focused = document.activeElement?.id;
    const isPlayed = this.firstPerson() >= 0;
    const watch = button(word("watch"), () => this.begin(this.watchers()),
      { class: isPlayed ? "" : "primary", id: "watch" });
    this.form.replaceChildren(this.gameFields(), this.seatsField(), this.tableFields(), this.optionsField(),
      element("p", { class: "row" },
        isPlayed ? element("button", { class: "primary", id: "begin" }, word("begin")) : null, watch));
    if (focused) document.getElementById(focused)?.focus();
  }

  /** @param {Partial<Chosen>} what */
  change(what) {
    Object.assign(this.chosen, what);
    this.draw();
  }

  gameFields() {
    const { game, offer } = this;
    const playersOf = (/** @type {string} */ name) =>
      game.presets.find((one) => one.name === name)?.players ?? game.default_players;
    return element("div", { class: "row" },
      labelled(word("game"), select(offer.games.map((one) => [one.id, one.title]), game.id,
        (value) => this.change({ game: value, preset: "", options: {} }), { id: "game" })),
      labelled(word("players"), select(game.players.map((count) => [String(count), String(count)]),
        String(this.players), (value) => this.change({ players: Number(value) }), { id: "players" })),
      labelled(word("rules"), select(game.presets.map(({ name }) => [name, presetName(name)]), this.preset?.name ?? "",
        (value) => this.change({ preset: value, players: playersOf(value), options: {} }), { id: "preset" })));
  }

  /** Pace, clock and seed. */
  tableFields() {
    const { offer, chosen } = this;
    /** @type {[string, string][]} */
    const paces = offer.paces.map((pace) => [String(pace), paceName(pace)]);
    /** @type {[string, string][]} */
    const clocks = offer.clocks.map((seconds) =>
      [String(seconds), seconds === null ? word("clock_none") : word("pace_seconds", { seconds })]);
    const seed = element("input", { id: "seed", inputmode: "numeric", maxlength: 20, autocomplete: "off",
      value: chosen.seed ?? "", oninput: (event) => { chosen.seed = event.target.value.trim() || null; } });
    return element("div", { class: "row" },
      labelled(word("pace"), select(paces, String(this.pace), (value) => this.change({ pace: JSON.parse(value) }),
        { id: "pace" })),
      labelled(word("clock"), select(clocks, String(chosen.clock ?? null),
        (value) => this.change({ clock: JSON.parse(value) }), { id: "clock" })),
      labelled(word("seed"), seed));
  }

  get pace() {
    return this.chosen.pace === undefined ? this.offer.paces[1] : this.chosen.pace;
  }

  seatsField() {
    const rows = Array.from({ length: this.players }, (_, seat) => this.seatRow(seat));
    return element("fieldset", {}, element("legend", {}, word("seats")),
      element("div", { class: "seats-grid" }, ...rows));
  }

  /** @param {number} seat */
  seatRow(seat) {
    const { chosen } = this;
    /** @type {[string, string][]} */
    const holders = [[PERSON, word(seat === this.firstPerson() ? "you" : "person")],
      ...this.agents.map((name) => /** @type {[string, string]} */ ([name, agentName(name)]))];
    const usual = this.holder(seat) === PERSON ? word("player", { seat: seat + 1 }) : NAMES[seat];
    return element("div", { class: "row seat" },
      labelled(word("seat", { seat: seat + 1 }), select(holders, this.holder(seat),
        (value) => this.change({ seats: { ...chosen.seats, [seat]: value } }), { id: `seat${seat}` })),
      labelled(word("name", { seat: seat + 1 }), element("input", { id: `name${seat}`, maxlength: 24,
        autocomplete: "off", value: chosen.names[seat] ?? "", placeholder: usual,
        oninput: (event) => { chosen.names[seat] = event.target.value; } })));
  }

  /** The agents that can play by the chosen rules. */
  get agents() {
    return this.preset?.agents ?? this.game.agents;
  }

  get opponent() {
    return usualAgent(this.agents, Object.keys(this.chosen.options).length > 0);
  }

  /** Who holds a seat. @param {number} seat */
  holder(seat) {
    const { agents } = this;
    const usual = seat === 0 ? PERSON : this.opponent;
    const wanted = this.chosen.seats[seat] ?? usual;
    return wanted === PERSON || agents.includes(wanted) ? wanted : usual;
  }

  holders() {
    return Array.from({ length: this.players }, (_, seat) => this.holder(seat));
  }

  /** The same seats with an agent in place of each person. */
  watchers() {
    const seats = this.holders();
    const usual = seats.find((name) => name !== PERSON) ?? this.opponent;
    return seats.map((name) => (name === PERSON ? usual : name));
  }

  /** The first seat of a person; -1 if there is none. */
  firstPerson() {
    return this.holders().indexOf(PERSON);
  }

  optionsField() {
    const { game, preset, chosen, players } = this;
    const rows = game.options.map((option) => {
      const usual = preset?.options[option.name] ?? option.value;
      const now = chosen.options[option.name] ?? usual;
      return optionField(game, option, { usual, now, players }, (found) => {
        chosen.options = { ...chosen.options, [option.name]: found };
      });
    });
    return element("details", { open, ontoggle: (event) => { open = event.target.open; } },
      element("summary", {}, word("options")), element("div", { class: "grid" }, ...rows));
  }

  /** Set up the table, and go there. @param {string[]} seats @param {Server.LevelOffer} [level] of a quick game */
  async begin(seats, level) {
    const { chosen, offer, game } = this;
    for (const control of findAll(this.form, "#begin, #watch")) control.toggleAttribute("disabled", true);
    report(word("setting_up"));
    store("form", chosen);
    try {
      const body = JSON.stringify(this.wanted(seats));
      const made = await change("tables", { query: { language: offer.language }, body });
      const token = made.tokens.find(Boolean) ?? "";
      remember({ table: made.table, token, tokens: made.tokens, names: made.names, title: game.title });
      if (level) beginLevel(made.table, game.id, level.name);
      if (chosen.pace) store("pace", chosen.pace);
      const watched = `#/replay/${made.table}/0/all${chosen.pace === null ? "" : "/play"}`;
      location.hash = token ? `#/table/${made.table}/${token}` : watched;
    } catch (error) {
      this.draw();
      this.showMistake(error.message);
    }
  }

  /** What the server is asked for. @param {string[]} seats @returns {Server.NewTable} */
  wanted(seats) {
    const { chosen, game, preset, pace } = this;
    const names = seats.map((name, seat) => chosen.names[seat]
      || (name === PERSON ? word("player", { seat: seat + 1 }) : NAMES[seat]));
    const seed = chosen.seed ?? null; // its digits: a number of 64 bits would lose some
    return { game: game.id, preset: preset?.name ?? "", options: chosen.options, seats, names, pace,
      clock: chosen.clock ?? null, seed: seed === null ? null : String(seed) };
  }

  /** A message about an option beside its field, with the label of the field; others along the bottom.
   * @param {string} message */
  showMistake(message) {
    const fieldOf = (/** @type {string} */ name) => this.form.querySelector(`#option_${name}, #${name}`);
    const named = [...message.matchAll(/\b(\w+): /g)].find(([, name]) => fieldOf(name));
    const field = named && fieldOf(named[1]);
    if (!(field instanceof HTMLElement) || !named) {
      report(message);
      return;
    }
    report("");
    const details = field.closest("details");
    if (details) details.open = open = true;
    field.setAttribute("aria-invalid", "true");
    const label = /** @type {HTMLElement} */ (field.parentElement);
    const said = `${find(label, "span").textContent}: ${message.slice(named.index + named[0].length)}`;
    label.append(element("span", { class: "mistake", role: "alert" }, said));
    field.focus();
  }

  /** Begin a quick game at once. @param {string} id */
  quick(id) {
    const game = this.offer.games.find((one) => one.id === id);
    if (!game) return;
    this.change({ game: id, preset: game.presets[0]?.name ?? "", players: game.default_players, seats: {}, options: {},
      seed: null });
    const level = chosenLevel(game);
    const seats = this.holders();
    this.begin(level ? seats.map((name) => (name === PERSON ? name : level.agent)) : seats, level);
  }
}
