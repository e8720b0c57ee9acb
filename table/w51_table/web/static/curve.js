// How high one may go for a lot: the chance to win by bid, beside that after a pass.

import { element } from "./dom.js";
import { percent, said, titled, word } from "./words.js";

const [WIDTH, HEIGHT] = [100, 40];
const ERRORS = 2; // standard errors that an interval has on each side

/** The ends of the scale, and the points of the line, of the band around it, and the height of a pass.
 * @param {Server.PriceCurve} limit */
export function curveLines({ bids, passed }) {
  const ends = bids.flatMap(({ chance, error }) => [chance - ERRORS * error, chance + ERRORS * error]);
  const low = Math.max(0, Math.min(passed, ...ends)), high = Math.min(1, Math.max(passed, ...ends));
  const x = (/** @type {number} */ at) => (bids.length > 1 ? at / (bids.length - 1) : 0.5) * WIDTH;
  const y = (/** @type {number} */ chance) =>
    (HEIGHT * (1 - (Math.min(high, Math.max(low, chance)) - low) / (high - low || 1))).toFixed(1);
  const points = (/** @type {number} */ errors) =>
    bids.map(({ chance, error }, at) => `${x(at)},${y(chance + errors * error)}`);
  const band = [...points(ERRORS), ...points(-ERRORS).reverse()].join(" ");
  return { low, high, line: points(0).join(" "), band, level: y(passed) };
}

/** A curve; nothing if there is nothing to bid for. @param {Server.PriceCurve | null} limit */
export function curveOf(limit) {
  if (!limit) return [];
  const { low, high, line, band, level } = curveLines(limit);
  const spoken = [`${word("limit_passed")} ${percent(limit.passed)}`,
    ...limit.bids.map(({ amount, chance }) => `${said(amount)} ${percent(chance)}`)].join(", ");
  const plot = element("div", { class: "plot", role: "img", "aria-label": titled(word("limit_curve"), spoken) });
  plot.innerHTML = `<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" preserveAspectRatio="none" aria-hidden="true">
<polygon class="band" points="${band}"/><line class="equal" x1="0" x2="${WIDTH}" y1="${level}" y2="${level}"/>
<polyline class="bids" points="${line}"/></svg>`;
  const scale = [high, low].map((end) => element("span", {}, percent(end)));
  const axis = limit.bids.map(({ amount }) => element(amount <= limit.highest ? "b" : "span", {}, said(amount)));
  return [element("figure", { class: "curve" }, element("figcaption", {}, word("limit_curve")),
    element("div", { class: "axes" }, element("span", { class: "scale", "aria-hidden": "true" }, ...scale), plot,
      element("span", { class: "axis", "aria-hidden": "true" }, ...axis)))];
}
