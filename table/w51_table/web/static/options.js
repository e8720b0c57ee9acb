// The options of a game in the form of a new table.

import { element, labelled, select } from "./dom.js";
import { has, word } from "./words.js";

/** @typedef {string | number | boolean | null} Option a value */

/** A value in words. @param {Option} value */
function valueName(value) {
  const key = `value_${String(value).replace(/\W/g, "_")}`;
  return has(key) ? word(key) : String(value);
}

/** The label of an option: that of the game, if its word means something else there. @param {string} game
 * @param {string} name */
function optionName(game, name) {
  const key = [`option_${game}_${name}`, `option_${name}`].find(has);
  return key ? word(key) : name.replaceAll("_", " ");
}

/** What was entered, as a value; `usual` if nothing was. @param {string} entered @param {Option} usual */
export function valueOf(entered, usual) {
  if (entered === "") return usual;
  return /^-?\d+$/.test(entered) ? Number(entered) : entered;
}

/**
 * The field of an option.
 * @param {Server.GameOffer} game
 * @param {Server.OptionOffer} option
 * @param {{usual: Option, now: Option, players: number}} value the preset's, and the chosen one
 * @param {(value: Option) => void} set
 */
export function optionField(game, { name, value, choices }, { usual, now, players }, set) {
  const id = `option_${name}`;
  const label = optionName(game.id, name);
  if (choices) {
    const named = choices.map((choice) => /** @type {[string, string]} */ ([String(choice), valueName(choice)]));
    return labelled(label, select(named, String(now),
      (found) => set(choices.find((choice) => String(choice) === found) ?? null), { id }));
  }
  if (name === "first_player") {
    const seats = Array.from({ length: players }, (_, seat) =>
      /** @type {[string, string]} */ ([String(seat), word("seat", { seat: seat + 1 })]));
    return labelled(label, select([["random", word("first_random")], ...seats], String(now),
      (found) => set(found === "random" ? found : Number(found)), { id }));
  }
  const isNumber = value === null || typeof value === "number";
  return labelled(label, element("input", { id, value: now ?? "", autocomplete: "off", min: 0,
    type: isNumber ? "number" : "text", inputmode: isNumber ? "numeric" : null,
    placeholder: value === null ? word("option_by_players") : null,
    oninput: (event) => set(valueOf(event.target.value.trim(), usual)) }));
}
