// What happened before a state, and how a page dwells on it; without the page.

import { word } from "./words.js";

const ROW = 3; // bids and passes in a row after the first, which a log has as one line

/** @typedef {Pick<Server.State, "over" | "opened" | "staged">} Ended what tells of an end */

/** Whether a lot ends before a state, or the game. @param {Ended} state */
export const endsLot = ({ over, opened, staged }) =>
  over || opened.length > 0 || staged.some((one) => one.stage === "sale");

/** The heading while it is told what happened before a state; null: that of before still holds. @param {Ended} state
 * @param {boolean} isDrawn */
export function headingOf({ over, opened, staged }, isDrawn) {
  if (over) return word("over");
  if (opened.length && !isDrawn) return word("opening");
  if (staged.some((one) => one.stage === "sale")) return word("auction_over");
  return staged.some((one) => one.stage === "turn") ? word("turning") : null;
}

/** The lines of a log: more than three bids and passes in a row are one, the first and the last of them.
 * @param {Pick<Server.State, "news" | "lots" | "raises">} state @returns {{text: string, isLot: boolean}[]} */
export function linesOf({ news, lots, raises }) {
  /** @type {{text: string, isLot: boolean}[]} */
  const lines = [];
  for (let index = 0; index < news.length; index += 1) {
    let last = index;
    while (raises.includes(index) && raises.includes(last + 1)) last += 1;
    const isRow = last - index >= ROW;
    lines.push({ text: isRow ? `${news[index]} … ${news[last]}` : news[index], isLot: lots.includes(index) });
    if (isRow) index = last;
  }
  return lines;
}

/** Whether a state has something to dwell on; what the own seat has just done itself needs no notice.
 * @param {Ended & Pick<Server.State, "new" | "seat">} state */
export function isStaged({ new: isNew, opened, staged, seat, over }) {
  return !isNew && (opened.length > 0 || staged.some((one) => over || one.stage !== "note" || one.seat !== seat));
}

/** Whether the picture before a state stays until all is told: the next one has other things in the place of the lot.
 * @param {Pick<Server.State, "over" | "staged">} state */
export function isEnd({ over, staged }) {
  return over || staged.some((one) => one.stage === "turn");
}

/** What is staged of the last lot of a state, before which others were skipped.
 * @param {Pick<Server.State, "staged" | "lots">} state */
export const ofLastLot = ({ staged, lots }) => staged.filter(({ line }) => line >= (lots.at(-1) ?? 0));

/** The seats with the highest bid above 0, in the order in which they were shown. @param {[number, number][]} opened */
export function leaders(opened) {
  const most = Math.max(...opened.map(([, amount]) => amount));
  return most > 0 ? opened.filter(([, amount]) => amount === most).map(([seat]) => seat) : [];
}

/**
 * States that are shown in order, each once what happened before it was told. `tell(state)` tells it; `show(state)`
 * shows all of a state; `isTold(state)` is whether there is something to tell, and `rest()` a moment between states.
 * @template {{new: boolean}} State
 */
export class Queue {
  /** @type {State[]} */
  waiting = [];
  isBusy = false;
  isClosed = false;

  /** @param {{tell: (state: State) => Promise<void>, show: (state: State) => void, isTold: (state: State) => boolean,
   *   rest: () => Promise<void>}} on */
  constructor(on) {
    this.on = on;
  }

  /** @param {State} state */
  add(state) {
    if (state.new) this.waiting.length = 0;
    this.waiting.push(state);
    if (!this.isBusy) this.run();
  }

  /** Show nothing any more. */
  stop() {
    this.isClosed = true;
    this.waiting.length = 0;
  }

  async run() {
    this.isBusy = true;
    for (let state = this.waiting.shift(); state; state = this.waiting.shift()) {
      if (this.on.isTold(state)) await this.on.tell(state);
      if (!this.isClosed && !this.waiting.some((later) => later.new)) this.on.show(state);
      if (this.waiting.length) await this.on.rest();
    }
    this.isBusy = false;
  }
}
