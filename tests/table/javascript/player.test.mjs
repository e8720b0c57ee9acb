// The player of steps: of the web table, where a game may go on, and of pages of games.

import assert from "node:assert/strict";
import test from "node:test";

import { Player, controlOf } from "../../../lab/w51_lab/replay_viewer/page/player.js";

/** A player of a game with two lots, and the steps that it has shown. @param {number} most steps that agents add */
function playerOf(most = 0) {
  /** @type {number[]} */
  const shown = [];
  const player = new Player({ show: (step) => shown.push(step), changed: () => {}, pace: () => 0, advance: async () => {
    if (!most) return false;
    most -= 1;
    player.steps += 1;
    player.isComplete = most === 0;
    return true;
  } });
  player.steps = 6;
  player.lots = [1, 4];
  return { player, shown };
}

test("every control and its key go where they say", async () => {
  const { player, shown } = playerOf();
  for (const key of ["End", "Home", "ArrowRight", "PageDown", "ArrowLeft", "PageUp", "PageUp", "PageDown",
    "PageDown"]) {
    const control = controlOf(key);
    assert.ok(control);
    await player.use(control);
  }
  await player.use("lot_next");
  assert.deepEqual(shown, [5, 0, 1, 4, 3, 1, 0, 1, 4, 5]);
  assert.deepEqual([player.lot, player.isAtEnd, controlOf("x")], [2, true, null]);
});

test("it never leaves the game", async () => {
  const { player, shown } = playerOf();
  for (const wanted of [-1, 99, Infinity]) await player.go(wanted);
  assert.deepEqual(shown, [0, 5, 5]);
});

test("it plays to the end, begins anew there, and stops when something else is done", async () => {
  const { player, shown } = playerOf();
  await player.go(4);
  await player.use("play");
  assert.deepEqual([shown.splice(0), player.isPlaying], [[4, 5], false]);
  const playing = player.use("play");
  await player.use("forward");
  await playing;
  assert.deepEqual([shown, player.isPlaying], [[0, 1], false]);
});

test("agents play as far as it is watched, and it stops where they cannot", async () => {
  const { player, shown } = playerOf(3);
  player.isComplete = false;
  await player.go(6);
  assert.deepEqual([player.steps, player.isComplete, shown], [7, false, [6]]);
  await player.use("last");
  assert.deepEqual([player.steps, player.isComplete, shown], [9, true, [6, 8]]);
  const stuck = playerOf(0);
  stuck.player.isComplete = false;
  await stuck.player.use("last");
  assert.deepEqual([stuck.shown, stuck.player.isPlaying], [[], false]);
});
