// Levels of the quick game: who wins goes up, once, and what this browser keeps may be anything.

import assert from "node:assert/strict";
import test from "node:test";

import { after, chosenLevel, rated, standing } from "../../../table/w51_table/web/static/levels.js";

/** @type {any} */
const GAME = { id: "g", levels: [["low", 400], ["middle", 700], ["high", 1000]]
  .map(([name, rating]) => ({ name, agent: `bot ${name}`, rating })) };
/** @type {Server.Review["standings"]} */
const WON = [[1, "Ann", 9, 0], [2, "Max", 5, 1], [2, "Zoe", 5, 2], [4, "Ben", 1, 3]];

/** @param {unknown} kept */
const keep = (kept) => Object.assign(globalThis, { localStorage: {
  getItem: (/** @type {string} */ key) => (key === "w51.levels" ? JSON.stringify(kept) : null), setItem: () => {} } });

test("a rating moves by what was not expected, and stays where the expected share is won", () => {
  assert.equal(rated(1000, 1000, 3, 0.25), 1000);
  assert.equal(rated(1000, 1000, 3, 1), 1036);
  assert.ok(rated(1400, 1000, 3, 1) < 1412 && rated(600, 1000, 3, 1) > 645);
});

test("who wins goes up, to the last level; who loses or beats weaker ones stays", () => {
  const before = { level: "low", rating: 400, games: 2 };
  const won = after(GAME, before, "low", WON, 0);
  assert.deepEqual([won.level, won.games, won.rating], ["middle", 3, 436]);
  assert.equal(after(GAME, before, "low", WON, 3).level, "low");
  assert.equal(after(GAME, { ...before, level: "high" }, "low", WON, 0).level, "high");
  assert.equal(after(GAME, { ...before, level: "high" }, "high", WON, 0).level, "high");
});

test("the first game is against the weakest, and what is kept may be damaged", () => {
  for (const kept of [null, {}, { g: { level: "none", rating: "x", games: -0.5 } }, { g: 5 }, []]) {
    keep(kept);
    assert.deepEqual(standing(GAME), { level: "low", rating: 400, games: 0 }, JSON.stringify(kept));
  }
  keep({ g: { level: "high", rating: 1010.5, games: 7 } });
  assert.equal(chosenLevel(GAME)?.agent, "bot high");
  assert.equal(chosenLevel(/** @type {any} */ ({ id: "g", levels: [] })), undefined);
});
