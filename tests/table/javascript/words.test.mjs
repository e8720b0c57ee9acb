// Words, numbers, addresses, the result of a game, and that all modules load where there is no page.

import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { register } from "node:module";
import test from "node:test";

import { addressOf } from "../../../table/w51_table/web/static/api.js";
import { fitted, nextOne } from "../../../table/w51_table/web/static/advice_fields.js";
import { usualAgent } from "../../../table/w51_table/web/static/new_table.js";
import { resultOf } from "../../../table/w51_table/web/static/ending.js";
import { valueOf } from "../../../table/w51_table/web/static/options.js";
import { atTemperature } from "../../../table/w51_table/web/static/thoughts.js";
import {
  agentName, listed, paceName, percent, said, setWords, word,
} from "../../../table/w51_table/web/static/words.js";

const STATIC = new URL("../../../table/w51_table/web/static/", import.meta.url);
const PLAYER = new URL("../../../lab/w51_lab/replay_viewer/page/player.js", import.meta.url);

setWords({ you_win: "You win, {points} to {second}", other_wins: "{name} wins, {points} to {second}",
  shared_win: "A shared victory at {points}: {names}", agent_random: "random bot", pace_seconds: "{seconds} s" }, "de");

test("numbers and words are those of the language, and what has no words stays", () => {
  assert.deepEqual([said(1234.5), percent(0.123, 1), paceName(0.4)], ["1.234,5", "12,3\u00a0%", "0,4 s"]);
  assert.deepEqual([agentName("random"), agentName("mine"), word("none")], ["random bot", "mine", "none"]);
  assert.equal(listed(["Zoe", "Ben", "Eva"]), "Zoe, Ben und Eva");
});

test("the result names the visitor, the winner, or those who share the victory", () => {
  /** @type {Server.Review["standings"]} */
  const standings = [[1, "Ann", 1200, 2], [2, "Ben", 9, 0]];
  assert.equal(resultOf(standings, 2), "You win, 1.200 to 9");
  assert.equal(resultOf(standings, null), "Ann wins, 1.200 to 9");
  assert.equal(resultOf([[1, "Ann", 9, 2], [1, "Ben", 9, 0]], 0), "A shared victory at 9: Ann und Ben");
});

test("a path is filled in, and what a visitor typed cannot leave it", () => {
  const asked = { name: "../a?b", query: { language: "en" } };
  assert.equal(addressOf("rules/{name}", asked), "api/rules/..%2Fa%3Fb?language=en");
  assert.equal(addressOf("offer", {}), "api/offer");
});

test("the temperature keeps the order and the sum of probabilities", () => {
  assert.deepEqual(atTemperature([0.2, 0.8], 1), [0.2, 0.8]);
  const [low, high] = atTemperature([0.2, 0.8], 2);
  assert.ok(low > 0.3 && high < 0.7 && Math.abs(low + high - 1) < 1e-12);
  assert.deepEqual(atTemperature([0, 0], 1), [0, 0]);
});

test("an option is a number where one was typed, and as usual where nothing was", () => {
  assert.deepEqual([valueOf("", 5), valueOf("-3", 5), valueOf("a,b", 5)], [5, -3, "a,b"]);
});

test("who bids next is the first after the leader that has not passed", () => {
  assert.equal(nextOne({ count: 3, found: { leader: 2, passed: [0] } }, 1), 1);
  assert.equal(nextOne({ count: 3, found: { leader: null, passed: [] } }, 3), 0);
});

test("every module but the page itself loads without a page", async () => {
  const hook = `export const resolve = (name, context, next) =>
    next(name === "./player.js" ? ${JSON.stringify(PLAYER.href)} : name, context);`; // one folder, as they are served
  register(`data:text/javascript,${encodeURIComponent(hook)}`);
  for (const name of readdirSync(STATIC)) {
    if (name.endsWith(".js") && name !== "app.js") await import(new URL(name, STATIC).href);
  }
});

test("the usual opponent is the best agent of the game, and one that plays by changed options", () => {
  const agents = ["random", "truthful", "half", "equilibrium"];
  assert.deepEqual([usualAgent(["random", "pretrained"], true), usualAgent(agents, false), usualAgent(agents, true),
    usualAgent(["random", "heuristic"], false), usualAgent(["random"], false)],
  ["pretrained", "equilibrium", "half", "heuristic", "random"]);
});

test("a draft for another number of players keeps those who stay, and the gaps beside oneself", () => {
  const draft = { names: ["", "Ben", "Zoe", "Max"], running: true,
    found: { revealer: 3, leader: 1, passed: [2, 3], bid: 4 },
    position: { relics: [["a"], [], ["b"], ["c"]], ingots: [5, 6, 7, 8], gaps: { 0: ["d"], 3: ["e"], 1: ["f"] },
      lot: "g", options: {}, given: {} } };
  assert.deepEqual(fitted(draft, 3), { names: ["", "Ben", "Zoe"], running: true,
    found: { revealer: 0, leader: 1, passed: [2], bid: 4 },
    position: { relics: [["a"], [], ["b"]], ingots: [5, 6, 7], gaps: { 0: ["d"], 2: ["e"] }, lot: "g" } });
  assert.deepEqual(fitted(draft, 5).position?.gaps, { 0: ["d"], 4: ["e"] });
});
