// The games of deals of the day that this browser has begun.

import { element } from "./dom.js";
import { store, stored } from "./storage.js";
import { word } from "./words.js";

const MOST = 30; // that are remembered

/**
 * A game of a deal of the day that this browser has begun; `again`: it had seen the cards before.
 * @typedef {{game: string, date: string, table: string, token: string, again: boolean}} DayGame
 */

/** The games, the last one first. @returns {DayGame[]} */
export function keptGames() {
  const kept = stored("days", /** @type {DayGame[]} */ ([]));
  return Array.isArray(kept) ? kept : [];
}

/** Remember a game. @param {DayGame} game */
export const keepGame = (game) => store("days", [game, ...keptGames()].slice(0, MOST));

/** The page of a day. @param {string} game @param {string} date */
export const addressOf = (game, date) => `#/day/${game}/${date}`;

/** What the end of a table says of the deal of the day; nothing if it was none. @param {string} table */
export function dayNews(table) {
  const kept = keptGames().find((one) => one.table === table);
  if (!kept) return [];
  return [element("p", {}, word(kept.again ? "day_again" : "day_counts")),
    element("p", {}, element("a", { class: "button primary", id: "to-day", href: addressOf(kept.game, kept.date) },
      word("day_compare")))];
}
