// Bids and standing orders, without a page.

import assert from "node:assert/strict";
import test from "node:test";

import { Bids, Order, bidsOf, doubt, numberedOf } from "../../../table/w51_table/web/static/bids.js";
import { PASS, bid, bids, state } from "./states.mjs";

test("an amount is an action, the first of two, or nothing", () => {
  const found = new Bids(numberedOf([bids("add", [20, 40], 60), PASS, bids("bid", [5, 10, 15], 15)]));
  assert.deepEqual([found.least, found.step, found.most], [5, 5, 60]);
  assert.deepEqual(found.find(10), { id: 110, text: "bid 10" });
  assert.deepEqual(found.find(45), { id: 140, text: null, rest: 45 });
  for (const amount of [0, 7, 42, 65, NaN]) assert.equal(found.find(amount), null);
});

test("a bid of all money is asked about, a high one only if the coach would not make it", async () => {
  const never = async () => assert.fail("the coach need not be asked");
  assert.equal(await doubt(1, 1, 0, never), null);
  assert.equal(await doubt(8, 8, 8, never), "ask_all");
  assert.equal(await doubt(6, 8, 3, never), null);
  assert.equal(await doubt(4, 8, 0, never), null);
  assert.equal(await doubt(7, 8, 3, async () => 6), "ask_high");
  assert.equal(await doubt(7, 8, 3, async () => 7), null);
});

test("the bids of all groups are sorted by their amount", () => {
  assert.deepEqual(bidsOf([PASS, bid(3), bids("bid", [1, 2], 2)]), [[1, 101], [2, 102], [3, 103]]);
});

test("an order bids the least up to its limit, then passes, and ends with the lot", () => {
  const order = new Order();
  assert.equal(order.action([PASS, bid(2)]), null);
  order.limit = 3;
  assert.equal(order.action([]), null);
  assert.equal(order.action([bid(4), PASS, bid(3)]), 103);
  assert.equal(order.action([bid(4), PASS]), PASS.id);
  assert.equal(order.action([PASS]), PASS.id);
  order.see(state(), false);
  assert.equal(order.limit, 3);
  order.see(state({ lots: [0] }), false);
  assert.equal(order.limit, null);
});

test("an order of nothing passes at once, and none is left where no bids of an open auction are asked", () => {
  const order = new Order();
  order.limit = 0;
  assert.equal(order.action([bid(1), PASS]), PASS.id);
  assert.equal(order.action([bid(1)]), null);
  assert.equal(order.limit, null);
});
