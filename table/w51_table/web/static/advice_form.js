// The form of a position: who plays, how far the game is, and what a form of the game asks beside that.

import { AskedCards } from "./advice_cards.js";
import { AskedRelics } from "./advice_relics.js";
import { fitted } from "./advice_fields.js";
import { element, find, findAll, labelled, select } from "./dom.js";
import { word } from "./words.js";

/** @type {Record<string, typeof AskedRelics | typeof AskedCards>} */
const ASKED = { warehouse51: AskedRelics, alles_futsch: AskedCards };
const RULEBOOKS = ["default", "en", "fr", "de", "hu"]; // presets of the same cards
const FIRST_NAMES = ["", "Ben", "Zoe", "Max", "Eva"];

/**
 * A game at a real table: where it began, and what happened since.
 * @typedef {{position: import("./advice_fields.js").Position, names: string[], events: Record<string, any>[]}} Evening
 */
/**
 * What a form begins with: names and a position, or a draft.
 * @typedef {{names: string[], position: import("./advice_fields.js").Position | null, running?: boolean,
 *   found?: Record<string, any>}} Begun
 */
/**
 * @typedef {object} Wanted
 * @property {Server.GameOffer[]} games that the form is offered for
 * @property {string} game
 * @property {Server.BlankPosition} blank an untouched table
 * @property {Begun | null} before
 * @property {import("./advice_fields.js").Say} say
 * @property {(evening: Evening) => Promise<void>} done fails with what contradicts itself
 * @property {(file: File) => Promise<void>} load
 * @property {(game: string, players?: number, begun?: Begun) => void} change another game, or number of players
 */

/** @param {string} game */
const kindOf = (game) => game.split("_v")[0];

/** Whether there is a form for a game. @param {string} game */
export const hasForm = (game) => kindOf(game) in ASKED;

/** The form; its element is `form`. */
export class PositionForm {
  /** @param {Wanted} wanted */
  constructor(wanted) {
    const { blank, before, game, say } = wanted;
    this.wanted = wanted;
    this.form = element("form", { class: "panel position", novalidate: true,
      onsubmit: (event) => this.submit(event), oninput: () => this.forget() });
    this.mistake = element("p", { class: "mistake", role: "alert", id: "mistake" });
    this.players = blank.players.length;
    this.usual = Array.from({ length: this.players }, (_, seat) =>
      FIRST_NAMES[seat] || word("player", { seat: seat + 1 }));
    const running = before?.running ?? Boolean(before?.position);
    /** @type {import("./advice_fields.js").Asked} */
    this.table = { ...blank, count: this.players, running, names: [], found: {},
      chosen: (key, options, label) => this.chosen(key, options, label),
      later: () => this.later(), draw: () => this.draw() };
    this.table.names = this.usual.map((name, seat) => before?.names[seat] || name);
    this.asked = new ASKED[kindOf(game)](this.table, say);
    if (before?.position) this.asked.read(before.position);
    this.table.found.rules = this.rulebookOf(before?.position?.options ?? {});
    Object.assign(this.table.found, before?.found);
    this.draw();
  }

  /** A selection of one of `found`. @param {string} key @param {[string, string][]} options @param {string} label */
  chosen(key, options, label) {
    return labelled(label, select(options, String(this.table.found[key]), (value) => {
      this.table.found[key] = JSON.parse(value);
      this.draw();
    }, { id: key, "data-field": key }));
  }

  draw() {
    const { say } = this.wanted;
    this.mistake.textContent = "";
    const focused = document.activeElement?.id;
    const { running } = this.table;
    const howFar = select([["false", say("begins")], ["true", say("under_way")]], String(running), (value) => {
      this.table.running = value === "true";
      this.draw();
    }, { id: "running" });
    this.form.replaceChildren(element("p", {}, say("about")), this.who(),
      element("div", { class: "row" }, labelled(say("how_far"), howFar), ...this.asked.first()),
      ...this.asked.rest(),
      element("p", { class: "row" }, element("button", { class: "primary", id: "take" }, say("take"))),
      labelled(say("load"), element("input",
        { type: "file", accept: ".json,application/json", onchange: (event) => this.opened(event.target) })));
    if (focused) document.getElementById(focused)?.focus({ preventScroll: true });
  }

  get offer() {
    const { games, game } = this.wanted;
    return games.find(({ id }) => id === game);
  }

  /** Rules that books of the game have. */
  get rulebooks() {
    return this.offer?.presets.filter(({ name }) => RULEBOOKS.includes(name)) ?? [];
  }

  /** The options in which rulebooks differ, as one of them has them. @param {number} index */
  optionsOf(index) {
    const books = this.rulebooks;
    const names = Object.keys(books[0]?.options ?? {});
    return Object.fromEntries(names.filter((name) => books.some((one) => one.options[name] !== books[0].options[name]))
      .map((name) => [name, books[index].options[name]]));
  }

  /** The rulebook with the options of a position, which lacks those of the first one.
   * @param {Record<string, any>} options */
  rulebookOf(options) {
    const usual = this.optionsOf(0);
    const found = this.rulebooks.findIndex((_, index) => Object.entries(this.optionsOf(index))
      .every(([name, value]) => (options[name] ?? usual[name]) === value));
    return Math.max(0, found);
  }

  /** The game, the number of players, their names, and the rulebook. */
  who() {
    const { games, game, say, change } = this.wanted;
    const offered = this.offer?.players ?? [this.players];
    /** @type {[string, string][]} */
    const books = this.rulebooks.map(({ name }, index) => [String(index), word(`preset_${name}`)]);
    /** @param {string} value @param {number} seat */
    const name = (value, seat) => labelled(seat ? word("name", { seat: seat + 1 }) : say("your_name"),
      element("input", { id: `name${seat}`, maxlength: 24, autocomplete: "off", placeholder: this.usual[seat],
        value: value === this.usual[seat] ? "" : value,
        onchange: (event) => {
          this.table.names[seat] = event.target.value.trim() || this.usual[seat];
          this.later();
        } }));
    return element("div", { class: "row" },
      labelled(word("game"), select(games.map(({ id, title }) => [id, title]), game, (other) => change(other),
        { id: "game" })),
      labelled(word("players"), select(offered.map((count) => [String(count), String(count)]), String(this.players),
        (count) => change(game, Number(count), fitted(this.draft(), Number(count))), { id: "players" })),
      ...(books.length > 1 ? [this.chosen("rules", books, word("rules"))] : []),
      ...this.table.names.map(name));
  }

  /** Draw again once the control that is chosen next has the focus. */
  later() {
    setTimeout(() => { if (this.form.isConnected) this.draw(); });
  }

  /** The field that a mistake is about. @param {{field?: string}} mistake */
  fieldOf({ field = "" }) {
    const [, name] = field.match(/^(\w+)/) ?? [];
    const named = (/** @type {string} */ one) =>
      /** @type {HTMLElement | null} */ (this.form.querySelector(`[data-field~="${one}"]`));
    return named(CSS.escape(field)) ?? named(name) ?? find(this.form, "#take");
  }

  /** Say what is wrong at a field. @param {string} text @param {HTMLElement} place */
  tell(text, place) {
    this.mistake.textContent = text;
    if (place.matches("fieldset")) find(place, "legend").after(this.mistake);
    else place.parentElement?.append(this.mistake);
    if (place.matches("input, select")) {
      place.setAttribute("aria-invalid", "true");
      place.setAttribute("aria-describedby", this.mistake.id);
      place.focus({ preventScroll: true });
    }
    this.mistake.scrollIntoView({ block: "center" });
  }

  forget() {
    this.mistake.textContent = "";
    for (const place of findAll(this.form, "[aria-invalid]")) place.removeAttribute("aria-invalid");
  }

  entered() {
    const { before, game } = this.wanted;
    const rules = this.optionsOf(this.table.found.rules);
    const options = { ...before?.position?.options, ...rules, num_players: this.players };
    return { position: { game, options, seat: 0, ...this.asked.position() }, names: this.table.names };
  }

  /** All that is in the form, also what it asks only of a game that is under way. @returns {Begun} */
  draft() {
    const { running, found } = this.table;
    this.table.running = true;
    const { position, names } = this.entered();
    this.table.running = running;
    return { position, names: names.map((name, seat) => (name === this.usual[seat] ? "" : name)), running, found };
  }

  /** @param {Event} event */
  async submit(event) {
    event.preventDefault();
    try {
      await this.wanted.done({ ...this.entered(), events: [] });
    } catch (error) {
      const place = this.fieldOf(error);
      const { value } = /** @type {HTMLInputElement} */ (place);
      const { most, message } = error;
      this.tell(typeof most === "number" ? this.wanted.say("range", { value, most }) : message, place);
    }
  }

  /** @param {HTMLInputElement} target */
  async opened(target) {
    const [file] = target.files ?? [];
    try {
      await this.wanted.load(file);
    } catch (error) {
      target.value = ""; // the same file can be chosen again
      this.tell(error instanceof SyntaxError ? this.wanted.say("no_file") : error.message, target);
    }
  }
}
