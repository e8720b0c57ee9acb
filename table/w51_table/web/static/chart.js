// The chances of the seats over a game, as lines to click in.

import { element, find } from "./dom.js";
import { percent, titled, word } from "./words.js";

const HEIGHT = 100;

/** A chart of the chances; `marks` are steps to point out, `choose` is called with a step for a click. */
export class ChanceChart {
  /** @param {Server.Chances} found @param {(step: number) => void} choose @param {number[]} marks */
  constructor(found, choose, marks = []) {
    this.found = found;
    this.steps = found.chances.length;
    this.shown = this.steps;
    this.plot = element("div", { class: "plot", role: "img", "aria-label": this.spoken() });
    this.plot.innerHTML = this.drawing(marks);
    this.cursor = find(this.plot, ".cursor");
    this.legend = element("ul", { class: "legend" });
    this.plot.addEventListener("click", (event) => choose(this.stepAt(event)));
    this.plot.addEventListener("pointermove", (event) => this.name(this.stepAt(event)));
    this.plot.addEventListener("pointerleave", () => this.name(this.shown));
    this.element = element("figure", { class: "chances" }, element("figcaption", {}, word("chances")),
      this.axes(), this.legend, element("p", { class: "note" }, word("chances_note", found)));
    this.show(this.steps);
  }

  axes() {
    const scale = element("span", { class: "scale", "aria-hidden": "true" },
      ...[1, 0.5, 0].map((part) => element("span", {}, percent(part))));
    const axis = element("span", { class: "axis", "aria-hidden": "true" }, element("span", {}, "0"),
      element("span", {}, `${this.steps} ${word("axis_steps")}`));
    return element("div", { class: "axes" }, scale, this.plot, axis);
  }

  /** The chance of each seat after a step; before the first all have the same. @param {number} step */
  at(step) {
    const { names, chances } = this.found;
    return step ? chances[step - 1] : names.map(() => 1 / names.length);
  }

  /** @param {number[]} marks */
  drawing(marks) {
    const lines = this.found.names.map((_, seat) => {
      const heights = Array.from({ length: this.steps + 1 }, (_one, step) => HEIGHT * (1 - this.at(step)[seat]));
      const points = heights.map((height, step) => `${step},${height.toFixed(1)}`);
      return `<polyline class="chance s${seat}" points="${points.join(" ")}"/>`;
    });
    const equal = HEIGHT * (1 - 1 / this.found.names.length);
    /** @param {string} kind @param {number} step */
    const upright = (kind, step) => `<line class="${kind}" x1="${step}" x2="${step}" y1="0" y2="${HEIGHT}"/>`;
    return `<svg viewBox="0 0 ${Math.max(1, this.steps)} ${HEIGHT}" preserveAspectRatio="none" aria-hidden="true">
<line class="equal" x1="0" x2="${this.steps}" y1="${equal}" y2="${equal}"/>
${marks.map((step) => upright("mark", step)).join("")}
${lines.join("")}${upright("cursor", this.steps)}</svg>`;
  }

  /** @param {MouseEvent} event */
  stepAt(event) {
    const box = this.plot.getBoundingClientRect();
    return Math.max(0, Math.min(this.steps, Math.round((event.clientX - box.left) / box.width * this.steps)));
  }

  /** Move the cursor to a step. @param {number} step */
  show(step) {
    this.shown = step;
    for (const end of ["x1", "x2"]) this.cursor.setAttribute(end, String(step));
    this.name(step);
  }

  /** @param {number} step */
  name(step) {
    const before = this.at(Math.max(0, step - 1));
    this.legend.replaceChildren(...this.at(step).map((chance, seat) => element("li", { class: `s${seat}` },
      element("span", {}, this.found.names[seat]), element("b", {}, percent(chance)), change(chance - before[seat]))));
  }

  spoken() {
    const { names } = this.found;
    const chances = this.at(this.steps).map((one, seat) => `${names[seat]} ${percent(one)}`);
    return titled(word("chances"), chances.join(", "));
  }
}

/** What the last decision changed, in points of percent; null if nothing. @param {number} difference */
function change(difference) {
  const points = Math.round(100 * difference);
  return points ? element("small", {}, `(${points > 0 ? "+" : "−"}${Math.abs(points)})`) : null;
}
