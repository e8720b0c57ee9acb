// The curve of a price limit: its line, the bids within the limit, and what it says to who does not see it.

import assert from "node:assert/strict";
import test from "node:test";

import { curveLines } from "../../../table/w51_table/web/static/curve.js";

test("the curve spans all intervals and the pass, from the lowest to the highest", () => {
  const bids = [{ amount: 4, chance: 0.5, error: 0.05 }, { amount: 6, chance: 0.3, error: 0 }];
  const { low, high, line, band, level } = curveLines({ highest: 4, text: "", passed: 0.4, bids });
  assert.deepEqual([low, high].map((end) => end.toFixed(2)), ["0.30", "0.60"]);
  assert.equal(line, "0,13.3 100,40.0");
  assert.equal(band, "0,0.0 100,40.0 100,40.0 0,26.7");
  assert.equal(level, "26.7");
});

test("one bid that is worth as much as a pass is a point in the middle", () => {
  const { line } = curveLines({ highest: 4, text: "", passed: 0.5, bids: [{ amount: 4, chance: 0.5, error: 0 }] });
  assert.equal(line, "50,40.0");
});
