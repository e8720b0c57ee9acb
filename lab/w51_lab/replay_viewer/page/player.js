// The player of a game's steps: forward and back, from lot to lot, by itself. It knows no page: the replays of the web
// table and the pages of games, which contain it, both have it.

/**
 * What a player does with its page.
 * @typedef {object} Screen
 * @property {(step: number) => unknown} show shows a step
 * @property {() => void} changed it plays now, or no longer
 * @property {() => number} pace milliseconds from one step to the next
 * @property {() => Promise<boolean>} [advance] lets the game go on for a step; false if it cannot
 */

/** The order of the controls. @type {("first" | "lot_before" | "back" | "play" | "forward" | "lot_next" | "last")[]} */
export const CONTROLS = ["first", "lot_before", "back", "play", "forward", "lot_next", "last"];

/** @type {Record<string, (typeof CONTROLS)[number]>} */
const KEYS = { ArrowLeft: "back", ArrowRight: "forward", PageUp: "lot_before", PageDown: "lot_next", Home: "first",
  End: "last", " ": "play" };

/** The control that a key stands for. @param {string} key */
export const controlOf = (key) => KEYS[key] ?? null;

export class Player {
  step = 0;
  steps = 1;
  /** @type {number[]} */
  lots = []; // the steps at which lots begin, in order
  isComplete = true; // no step will be added
  isPlaying = false;
  run = 0; // number of the last thing that the visitor did: what began before it ends

  /** @param {Screen} screen */
  constructor(screen) {
    this.screen = screen;
  }

  get last() {
    return this.steps - 1;
  }

  /** Whether there is nothing after the step that is shown. */
  get isAtEnd() {
    return this.isComplete && this.step === this.last;
  }

  /** Number of the lots that have begun, the one at this step included. */
  get lot() {
    return this.lots.filter((at) => at <= this.step).length;
  }

  /** Use a control. @param {(typeof CONTROLS)[number]} control */
  use(control) {
    switch (control) {
      case "first": return this.go(0);
      case "back": return this.go(this.step - 1);
      case "forward": return this.go(this.step + 1);
      case "last": return this.go(Infinity);
      case "lot_before": return this.go(Math.max(0, ...this.lots.filter((at) => at < this.step)));
      case "lot_next": return this.nextLot();
      default: return this.isPlaying ? this.stop() : this.play();
    }
  }

  /** Stop, and go to a step, as far as there are some. @param {number} wanted */
  async go(wanted) {
    this.stop();
    await this.goOn(wanted);
  }

  /** @param {number} wanted */
  async goOn(wanted) {
    const mine = this.run;
    if (wanted >= this.steps) await this.advance(() => wanted < this.steps);
    if (mine === this.run) await this.show(wanted);
  }

  async nextLot() {
    this.stop();
    const mine = this.run;
    const next = () => this.lots.find((at) => at > this.step);
    await this.advance(() => next() !== undefined);
    if (mine === this.run) await this.show(next() ?? Infinity);
  }

  /** Let the game go on until it is enough; stops if it cannot. @param {() => boolean} enough */
  async advance(enough) {
    const mine = this.run;
    while (!this.isComplete && !enough()) {
      const goesOn = await this.screen.advance?.();
      if (mine !== this.run) return;
      if (!goesOn) {
        this.stop();
        return;
      }
    }
  }

  /** Play from here, from the start after the end. */
  async play() {
    this.stop();
    const mine = this.run;
    this.isPlaying = true;
    this.screen.changed();
    if (this.isAtEnd) await this.show(0);
    while (mine === this.run) {
      await new Promise((resolve) => setTimeout(resolve, this.screen.pace()));
      if (mine !== this.run) return;
      await this.goOn(this.step + 1);
      if (this.isAtEnd && mine === this.run) this.stop();
    }
  }

  stop() {
    this.run += 1;
    this.isPlaying = false;
    this.screen.changed();
  }

  /** @param {number} wanted */
  async show(wanted) {
    this.step = Math.max(0, Math.min(this.last, wanted));
    await this.screen.show(this.step);
  }
}
