// What a page dwells on, and in which order states are shown.

import assert from "node:assert/strict";
import test from "node:test";

import { reasonOf } from "../../../table/w51_table/web/static/decisions.js";
import {
  Queue, endsLot, headingOf, isEnd, isStaged, leaders, linesOf, ofLastLot,
} from "../../../table/w51_table/web/static/staged.js";
import { state } from "./states.mjs";

/** @param {Server.StagedEvent["stage"]} stage @param {number} seat @returns {Server.StagedEvent} */
const event = (stage, seat = 1) => ({ line: 0, stage, seat, parts: [] });

test("a lot ends with a sale, with open hands, and with the game", () => {
  assert.equal(endsLot(state({ staged: [event("note")] })), false);
  assert.ok(endsLot(state({ staged: [event("sale")] })));
  assert.ok(endsLot(state({ opened: [[0, 3]] })));
  assert.ok(endsLot(state({ over: true })));
});

test("what the own seat has done itself needs no notice", () => {
  assert.equal(isStaged(state({ staged: [event("note", 0)] })), false);
  assert.ok(isStaged(state({ staged: [event("note", 1)] })));
  assert.ok(isStaged(state({ staged: [event("sale", 0)] })));
  assert.equal(isStaged(state({ new: true, staged: [event("sale")] })), false);
});

test("the picture before stays until a card is turned over, or the game is told", () => {
  assert.ok(isEnd(state({ staged: [event("turn")] })));
  assert.equal(isEnd(state({ staged: [event("sale")] })), false);
});

test("what was skipped before the last lot is not told at the end", () => {
  const staged = [{ ...event("sale"), line: 4 }, { ...event("sale"), line: 9 }, { ...event("note"), line: 10 }];
  assert.deepEqual(ofLastLot({ staged, lots: [1, 6] }).map(({ line }) => line), [9, 10]);
  assert.equal(ofLastLot({ staged, lots: [] }).length, 3);
});

test("the heading says what is told, hands only until the picture is drawn", () => {
  assert.equal(headingOf(state({ opened: [[0, 1]] }), false), "opening");
  assert.equal(headingOf(state({ opened: [[0, 1]], staged: [event("sale")] }), true), "auction_over");
  assert.equal(headingOf(state({ over: true, staged: [event("turn")] }), true), "over");
  assert.equal(headingOf(state(), false), null);
});

test("the highest open hands lead, and empty hands do not", () => {
  assert.deepEqual(leaders([[2, 4], [0, 1], [1, 4]]), [2, 1]);
  assert.deepEqual(leaders([[0, 0], [1, 0]]), []);
});

test("states are shown in order, each after it was told, and a new one drops those that wait", async () => {
  /** @type {string[]} */
  const done = [];
  const moment = () => new Promise((resolve) => setTimeout(resolve, 1));
  /** @type {Queue<{id: number, new: boolean}>} */
  const queue = new Queue({
    isTold: ({ id }) => id !== 2,
    tell: async ({ id }) => { done.push(`tell ${id}`); await moment(); },
    show: ({ id }) => { done.push(`show ${id}`); },
    rest: async () => { done.push("rest"); },
  });
  for (const id of [1, 2, 3]) queue.add({ id, new: false });
  while (queue.isBusy) await moment();
  assert.deepEqual(done.splice(0), ["tell 1", "show 1", "rest", "show 2", "rest", "tell 3", "show 3"]);
  for (const id of [4, 5]) queue.add({ id, new: false });
  queue.add({ id: 6, new: true });
  while (queue.isBusy) await moment();
  assert.deepEqual(done.splice(0), ["tell 4", "rest", "tell 6", "show 6"]);
  queue.add({ id: 7, new: false });
  queue.stop();
  while (queue.isBusy) await moment();
  assert.deepEqual(done, ["tell 7"]);
});

test("why a lot does not ask the seat holds until the seat is asked or the next lot begins", () => {
  const skipped = { line: 1, text: "You cannot bid more." };
  assert.equal(reasonOf(state({ skipped, lots: [0] }), ""), skipped.text);
  assert.equal(reasonOf(state(), skipped.text), skipped.text);
  assert.equal(reasonOf(state({ skipped, lots: [2] }), skipped.text), "");
});

test("more than three bids and passes in a row are one line of the log", () => {
  const news = ["A card.", "Ann bids 1.", "Ben bids 2.", "Ann passes.", "Cem bids 3.", "Cem buys it."];
  const lines = linesOf({ news, lots: [0], raises: [1, 2, 3, 4] });
  assert.deepEqual(lines.map(({ text }) => text), ["A card.", "Ann bids 1. … Cem bids 3.", "Cem buys it."]);
  assert.deepEqual(lines.map(({ isLot }) => isLot), [true, false, false]);
  assert.equal(linesOf({ news, lots: [0], raises: [1, 2, 3] }).length, 6);
});
