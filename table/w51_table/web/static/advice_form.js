// The form of a position: who plays, how far the game is, and what a form of the game asks beside that.

import { askedCards } from "./advice_cards.js";
import { askedRelics } from "./advice_relics.js";
import { element, labelled, report, select, word } from "./dom.js";

const ASKED = { warehouse51: askedRelics, alles_futsch: askedCards };
const FIRST_NAMES = ["", "Ben", "Zoe", "Max", "Eva"];

const kindOf = (game) => game.split("_v")[0];

/** Whether there is a form for a game. */
export const hasForm = (game) => kindOf(game) in ASKED;

/**
 * The form as an element. `games` are those that it is offered for, `blank` is an untouched table; `before` has the
 * names and the position to begin with, or is a draft; `done` takes the evening, and fails with what contradicts itself; `load` takes
 * a file, `change` the id of another game.
 */
export function askedPosition({ games, game, blank, before, say, ask, done, load, change }) {
  const form = element("form", { class: "panel position", novalidate: true, onsubmit: submit, oninput: forget });
  const mistake = element("p", { class: "mistake", role: "alert", id: "mistake" });
  const players = blank.players.length;
  const usual = Array.from({ length: players }, (_, seat) => FIRST_NAMES[seat] || word("player", { seat: seat + 1 }));
  // What the form of the game reads: `found` has the selected values.
  const table = { ...blank, count: players, running: before?.running ?? Boolean(before?.position), names: [], found: {}, chosen, later, draw };
  table.names = usual.map((name, seat) => before?.names[seat] || name);
  const asked = ASKED[kindOf(game)](table, say);
  if (before?.position) asked.read(before.position);
  Object.assign(table.found, before?.found);
  draw();
  form.draft = draft;
  return form;

  /** A selection of one of `found`. */
  function chosen(key, options, label) {
    return labelled(label, select(options, String(table.found[key]), (value) => { table.found[key] = JSON.parse(value); draw(); }, { id: key, "data-field": key }));
  }

  function draw() {
    mistake.textContent = "";
    const focused = document.activeElement?.id;
    const offered = games.find(({ id }) => id === game)?.players ?? [players];
    form.replaceChildren(element("p", {}, say("about")),
      element("div", { class: "row" },
        labelled(word("game"), select(games.map(({ id, title }) => [id, title]), game, change, { id: "game" })),
        labelled(word("players"), select(offered.map((count) => [String(count), String(count)]), String(players), resize, { id: "players" })),
        ...table.names.map((name, seat) => labelled(seat ? word("name", { seat: seat + 1 }) : say("your_name"), element("input", { id: `name${seat}`, maxlength: 24,
          autocomplete: "off", value: name, onchange: (event) => { table.names[seat] = event.target.value.trim() || usual[seat]; later(); } })))),
      element("div", { class: "row" },
        labelled(say("how_far"), select([["false", say("begins")], ["true", say("under_way")]], String(table.running), (value) => {
          table.running = value === "true";
          draw();
        }, { id: "running" })), ...asked.first()),
      ...asked.rest(),
      element("p", { class: "row" }, element("button", { class: "primary", id: "take" }, say("take"))),
      labelled(say("load"), element("input", { type: "file", accept: ".json,application/json", onchange: opened })));
    if (focused) document.getElementById(focused)?.focus({ preventScroll: true });
  }

  /** Draw again once the control that is chosen next has the focus. */
  function later() {
    setTimeout(() => { if (form.isConnected) draw(); });
  }

  /** Another number of players begins anew, with the names. */
  function resize(count) {
    change(game, Number(count), table.names);
  }

  /** The field that a mistake is about. */
  function fieldOf({ field = "" }) {
    const [, name] = field.match(/^(\w+)/) ?? [];
    return form.querySelector(`[data-field~="${CSS.escape(field)}"]`) ?? form.querySelector(`[data-field~="${name}"]`);
  }

  /** Say what is wrong at a field. */
  function tell(text, place) {
    mistake.textContent = text;
    if (place.matches("fieldset")) place.querySelector("legend").after(mistake);
    else place.parentElement.append(mistake);
    if (place.matches("input, select")) {
      place.setAttribute("aria-invalid", "true");
      place.setAttribute("aria-describedby", mistake.id);
      place.focus({ preventScroll: true });
    }
    mistake.scrollIntoView({ block: "center" });
  }

  function forget() {
    mistake.textContent = "";
    for (const place of form.querySelectorAll("[aria-invalid]")) place.removeAttribute("aria-invalid");
  }

  function entered() {
    const options = { ...before?.position?.options, num_players: players };
    return { position: { game, options, seat: 0, ...asked.position() }, names: table.names };
  }

  /** All that is in the form, also what it asks only of a game that is under way. */
  function draft() {
    const { running, found } = table;
    table.running = true;
    const { position, names } = entered();
    table.running = running;
    return { position, names: names.map((name, seat) => (name === usual[seat] ? "" : name)), running, found };
  }

  async function submit(event) {
    event.preventDefault();
    try {
      await done({ ...entered(), events: [] });
    } catch (error) {
      const place = fieldOf(error) ?? form.querySelector("#take");
      tell(typeof error.most === "number" ? say("range", { value: place.value, most: error.most }) : error.message, place);
    }
  }

  async function opened({ target }) {
    try {
      await load(target.files[0]);
    } catch (error) {
      target.value = ""; // the same file can be chosen again
      tell(error instanceof SyntaxError ? say("no_file") : error.message, target);
    }
  }
}
