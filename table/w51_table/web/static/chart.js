// The chances of the seats over a game, as lines to click in.

import { element, word } from "./dom.js";

const HEIGHT = 100;

/**
 * A chart of `found`, as the server sends it: `names`, and for each decision the chance of each seat after it. `marks` are
 * steps to point out. Calls `choose(step)` for a click. Returns the element, and `show(step)`, which moves the cursor.
 */
export function chanceChart(found, choose, marks = []) {
  const steps = found.chances.length;
  const share = 1 / found.names.length;
  const at = (step) => (step ? found.chances[step - 1] : found.names.map(() => share));
  const lines = found.names.map((name, seat) => {
    const points = Array.from({ length: steps + 1 }, (_, step) => `${step},${(HEIGHT * (1 - at(step)[seat])).toFixed(1)}`);
    return `<polyline class="chance s${seat}" points="${points.join(" ")}"/>`;
  });
  const equal = HEIGHT * (1 - share);
  const plot = element("div", { class: "plot", role: "img", "aria-label": spoken() });
  plot.innerHTML = `<svg viewBox="0 0 ${Math.max(1, steps)} ${HEIGHT}" preserveAspectRatio="none" aria-hidden="true">
<line class="equal" x1="0" x2="${steps}" y1="${equal}" y2="${equal}"/>
${marks.map((step) => `<line class="mark" x1="${step}" x2="${step}" y1="0" y2="${HEIGHT}"/>`).join("")}
${lines.join("")}<line class="cursor" y1="0" y2="${HEIGHT}"/></svg>`;
  const cursor = plot.querySelector(".cursor");
  const legend = element("ul", { class: "legend" });
  plot.addEventListener("click", (event) => choose(stepAt(event)));
  plot.addEventListener("pointermove", (event) => name(stepAt(event)));
  plot.addEventListener("pointerleave", () => name(shown));
  let shown = steps;
  show(steps);
  const scale = element("span", { class: "scale", "aria-hidden": "true" }, ...[1, 0.5, 0].map((part) => element("span", {}, percent(part))));
  const axis = element("span", { class: "axis", "aria-hidden": "true" }, element("span", {}, "0"),
    element("span", {}, `${steps} ${word("axis_steps")}`));
  return { chart: element("figure", { class: "chances" }, element("figcaption", {}, word("chances")),
    element("div", { class: "axes" }, scale, plot, axis), legend, element("p", { class: "note" }, word("chances_note", found))), show };

  function stepAt(event) {
    const box = plot.getBoundingClientRect();
    return Math.max(0, Math.min(steps, Math.round((event.clientX - box.left) / box.width * steps)));
  }

  function show(step) {
    shown = step;
    for (const end of ["x1", "x2"]) cursor.setAttribute(end, step);
    name(step);
  }

  function name(step) {
    const before = at(Math.max(0, step - 1));
    legend.replaceChildren(...at(step).map((chance, seat) => element("li", { class: `s${seat}` },
      element("span", {}, found.names[seat]), element("b", {}, percent(chance)), change(chance - before[seat]))));
  }

  /** What the last decision changed, in points of percent; null if nothing. */
  function change(difference) {
    const points = Math.round(100 * difference);
    return points ? element("small", {}, `(${points > 0 ? "+" : "−"}${Math.abs(points)})`) : null;
  }

  function spoken() {
    return `${word("chances")}: ${at(steps).map((chance, seat) => `${found.names[seat]} ${percent(chance)}`).join(", ")}`;
  }
}

/** A number from 0 to 1 as percent. */
export function percent(chance, digits = 0) {
  return chance.toLocaleString(document.documentElement.lang, { style: "percent", maximumFractionDigits: digits });
}
