// Whose turn it is, beyond the page: the clock of a decision, and a sign when the page is not in sight.

import { checkBox, element } from "./dom.js";
import { play } from "./sounds.js";
import { store, stored } from "./storage.js";
import { word } from "./words.js";

const LATE = 5; // seconds

/** A line with the seconds that are left. */
export class Clock {
  line = element("p", { class: "clock", role: "timer", hidden: true });
  ends = 0;
  /** @type {ReturnType<typeof setInterval> | undefined} */
  ticking;

  /** Start it anew with the seconds that were left at a moment; null hides it. @param {number | null} seconds
   * @param {number} moment */
  show(seconds, moment) {
    this.stop();
    this.line.hidden = seconds === null;
    if (seconds === null) return;
    this.ends = moment + 1000 * seconds;
    this.tick();
    this.ticking = setInterval(() => this.tick(), 250);
  }

  stop() {
    clearInterval(this.ticking);
  }

  tick() {
    const left = Math.max(0, Math.ceil((this.ends - performance.now()) / 1000));
    this.line.textContent = word("clock_left", { seconds: left });
    this.line.classList.toggle("late", left <= LATE);
  }
}

/** A switch: a tone and a notification when it is one's turn and the page is hidden. */
export function signSwitch() {
  return checkBox(word("sign"), { id: "sign", checked: stored("sign", false), onchange: async ({ target }) => {
    const asks = "Notification" in window && Notification.permission === "default";
    if (target.checked && asks) await Notification.requestPermission();
    store("sign", target.checked);
    if (target.checked) play("turn");
  } });
}

/** Tell that it is one's turn, if that is wanted and the page is not in sight. @param {string} text */
export function giveSign(text) {
  if (!stored("sign", false) || !document.hidden) return;
  play("turn");
  if (!("Notification" in window) || Notification.permission !== "granted") return;
  void new Notification(text, { tag: "w51", icon: "icon.svg" });
}
