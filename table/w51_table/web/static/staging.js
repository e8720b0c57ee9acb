// What happens at a table, shown one step after another; the next state of the table waits for it, and a click or a key
// skips it.

import { select } from "./dom.js";
import { Scene } from "./scene.js";
import { Queue, isEnd, isStaged, ofLastLot } from "./staged.js";
import { store, stored } from "./storage.js";
import { word } from "./words.js";

const SPEEDS = { normal: 1, fast: 0.4, off: 0 };
const CATCH_UP = 150; // milliseconds from one state to the next, of those that have waited
const MODIFIERS = ["Shift", "Control", "Alt", "Meta", "Tab"];

/** The control for how long the page dwells on what happens. */
export function speedChoice() {
  const options = Object.keys(SPEEDS).map((name) => /** @type {[string, string]} */ ([name, word(`staging_${name}`)]));
  return select(options, stored("staging", "normal"), (name) => store("staging", name), { id: "staging" });
}

/** How long the page dwells on what happens; 1 is normal, 0 not at all. @returns {number} */
export const speed = () => SPEEDS[stored("staging", "normal")] ?? 1;

/**
 * What a page does with a state: `begin` before it is told what has happened, `draw` puts its picture into the place,
 * `show` shows all of it.
 * @template {import("./scene.js").Told} State
 * @typedef {{begin: (state: State) => void, draw: (state: State) => Promise<unknown>,
 *   show: (state: State) => void}} Stages
 */

/** Shows states in order. @template {import("./scene.js").Told} State */
export class Stage {
  skip = () => {};
  isHurried = false; // nothing is told until the own seat is asked, or the game is over
  /** @type {Promise<void>} */
  skipped = Promise.resolve();

  /** @param {import("./picture.js").Picture} picture @param {Stages<State>} on */
  constructor(picture, on) {
    this.picture = picture;
    this.on = on;
    const dwells = () => speed() > 0 && !document.hidden && !this.isHurried;
    /** @type {Queue<State>} */
    this.queue = new Queue({
      isTold: (state) => dwells() && isStaged(state),
      tell: (state) => this.tell(state),
      show: (state) => {
        on.show(state);
        if (state.actions?.length) this.isHurried = false;
      },
      rest: async () => { if (dwells()) await this.pause(CATCH_UP); },
    });
  }

  /** @param {State} state */
  add(state) {
    if (state.new) this.skip();
    const isLast = state.over && this.isHurried;
    if (isLast) this.isHurried = false;
    this.queue.add(isLast ? { ...state, opened: [], staged: ofLastLot(state) } : state);
  }

  /** Go on to the next decision of the own seat. */
  hurry() {
    this.isHurried = true;
    this.skip();
  }

  /** Show nothing any more. */
  stop() {
    this.queue.stop();
    this.skip();
  }

  /** @param {number} milliseconds @returns {Promise<void>} */
  pause(milliseconds) {
    return Promise.race([this.skipped, new Promise((resolve) => setTimeout(resolve, milliseconds * speed()))]);
  }

  /** @param {State} state */
  async tell(state) {
    const ends = new AbortController();
    this.skipped = new Promise((resolve) => { this.skip = () => resolve(); });
    /** @param {Event} event */
    const end = (event) => { if (!(event instanceof KeyboardEvent && MODIFIERS.includes(event.key))) this.skip(); };
    for (const kind of ["pointerdown", "keydown"]) {
      document.addEventListener(kind, end, { signal: ends.signal, capture: true });
    }
    document.addEventListener("visibilitychange", () => this.skip(), { signal: ends.signal });
    const scene = new Scene(this.picture, state, (milliseconds) => this.pause(milliseconds));
    this.on.begin(state);
    try {
      await scene.openFists();
      if (!isEnd(state)) {
        scene.closeLot();
        await this.on.draw(state);
      }
      await scene.tellEvents();
    } finally {
      ends.abort();
      this.skip();
      scene.clear();
    }
  }
}
