// Levels of the quick game: whom one meets, and a rating against them, which this browser keeps.

import { element, labelled, select } from "./dom.js";
import { store, stored } from "./storage.js";
import { said, word } from "./words.js";

const STEP = 48; // the most that one game changes a rating by
const MOST = 20; // tables that are remembered

/**
 * How somebody stands in a game.
 * @typedef {object} Standing
 * @property {string} level the name of it
 * @property {number} rating
 * @property {number} games that were rated
 */
/**
 * A table of a quick game; once it is over and rated, also how one stood before and after.
 * @typedef {object} LevelTable
 * @property {string} table its name
 * @property {string} game
 * @property {string} level
 * @property {boolean} [won]
 * @property {[Standing, Standing]} [rated]
 */

/** @returns {LevelTable[]} */
function keptTables() {
  const kept = stored("level_tables", /** @type {LevelTable[]} */ ([]));
  return Array.isArray(kept) ? kept : [];
}

/** How this browser stands in a game; before the first game as the weakest level. @param {Server.GameOffer} game
 * @returns {Standing} */
export function standing({ id, levels }) {
  const kept = stored("levels", /** @type {Record<string, Partial<Standing>>} */ ({}))[id] ?? {};
  const level = levels.find((one) => one.name === kept.level) ?? levels[0];
  const { rating, games } = kept;
  return { level: level.name, rating: Number.isFinite(rating) ? Number(rating) : levels[0].rating,
    games: Number.isInteger(games) ? Number(games) : 0 };
}

/** @param {string} game @param {Standing} now */
const keep = (game, now) => store("levels", { ...stored("levels", {}), [game]: now });

/** The level that the next quick game has; undefined in games without levels. @param {Server.GameOffer} game */
export function chosenLevel(game) {
  return game.levels.length ? game.levels.find((one) => one.name === standing(game).level) : undefined;
}

/** What the card of a game says of levels: which one is next, and the rating. @param {Server.GameOffer} game */
export function levelChoice(game) {
  if (!game.levels.length) return [];
  const now = standing(game);
  const names = game.levels.map(({ name }, index) => /** @type {[string, string]} */ ([name, levelName(name, index)]));
  const choice = select(names, now.level, (level) => keep(game.id, { ...standing(game), level }),
    { "data-level": game.id });
  return [element("div", { class: "level" }, labelled(word("opponents"), choice),
    now.games ? element("p", {}, word("rating", { rating: said(Math.round(now.rating)), games: now.games })) : null)];
}

/** @param {string} name @param {number} index */
const levelName = (name, index) => `${index + 1}. ${word(`level_${name}`)}`;

/** Remember that a table is a quick game of a level. @param {string} table @param {string} game
 * @param {string} level */
export function beginLevel(table, game, level) {
  store("level_tables", [{ table, game, level }, ...keptTables()].slice(0, MOST));
}

/** A rating after a game against `others` players of the rating `theirs`, of which one has the `share` of the victory.
 * @param {number} rating @param {number} theirs @param {number} others @param {number} share */
export function rated(rating, theirs, others, share) {
  const expected = 1 / (1 + others * 10 ** ((theirs - rating) / 400));
  return rating + STEP * (share - expected);
}

/** What a finished quick game changes: who wins against a level goes up, if it was not below the own one.
 * @param {Server.GameOffer} game @param {Standing} before @param {string} level of the opponents
 * @param {Server.Review["standings"]} standings @param {number} seat @returns {Standing} */
export function after(game, before, level, standings, seat) {
  const winners = standings.filter(([rank]) => rank === 1);
  const share = winners.some(([, , , winner]) => winner === seat) ? 1 / winners.length : 0;
  const names = game.levels.map(({ name }) => name);
  const met = names.indexOf(level);
  const next = share ? Math.max(names.indexOf(before.level), Math.min(met + 1, names.length - 1)) : -1;
  return { level: names[next] ?? before.level, games: before.games + 1,
    rating: rated(before.rating, game.levels[met].rating, standings.length - 1, share) };
}

/** What the end of a table says of the level, and the next quick game; nothing if it is no quick game of this browser.
 * @param {string} table @param {Server.Review["standings"]} standings @param {number | null} seat
 * @param {readonly Server.GameOffer[]} games */
export function levelNews(table, standings, seat, games) {
  const tables = keptTables();
  const kept = tables.find((one) => one.table === table);
  const game = games.find((one) => one.id === kept?.game);
  if (!kept || !game || seat === null || !game.levels.some(({ name }) => name === kept.level)) return [];
  if (!kept.rated) { // once, also if the page is loaded again
    const before = standing(game);
    kept.rated = [before, after(game, before, kept.level, standings, seat)];
    keep(game.id, kept.rated[1]);
    store("level_tables", tables);
  }
  const [before, now] = kept.rated;
  const change = said(Math.round(now.rating) - Math.round(before.rating), { signDisplay: "always" });
  const level = word(`level_${now.level}`);
  return [
    element("p", { class: "level-news" }, now.level === before.level ? "" : `${word("level_up", { level })} `,
      word("rating_now", { rating: said(Math.round(now.rating)), change })),
    element("p", {}, element("a", { class: "button primary", href: `#/quick/${game.id}`, id: "next-level" },
      word("next_game", { level: word(`level_${standing(game).level}`) })))];
}
