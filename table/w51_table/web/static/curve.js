// How high one may go for a lot: the chance to win by bid, beside that after a pass.

import { element } from "./dom.js";
import { percent, said, word } from "./words.js";

const [WIDTH, HEIGHT] = [100, 40];
const ERRORS = 2; // standard errors that an interval has on each side

/** A sentence and a curve; nothing if there is nothing to bid for. @param {Server.PriceCurve | null} limit */
export function curveOf(limit) {
  if (!limit) return [];
  const { bids, passed, highest } = limit;
  const ends = bids.flatMap(({ chance, error }) => [chance - ERRORS * error, chance + ERRORS * error]);
  const [low, high] = [Math.max(0, Math.min(passed, ...ends)), Math.min(1, Math.max(passed, ...ends))];
  const last = bids.length - 1;
  const x = (/** @type {number} */ at) => (last ? at / last : 0.5) * WIDTH;
  const y = (/** @type {number} */ chance) =>
    (HEIGHT * (1 - (Math.min(high, Math.max(low, chance)) - low) / (high - low || 1))).toFixed(1);
  const band = [...bids.map(({ chance, error }, at) => `${x(at)},${y(chance + ERRORS * error)}`),
    ...bids.map(({ chance, error }, at) => `${x(at)},${y(chance - ERRORS * error)}`).reverse()];
  const line = bids.map(({ chance }, at) => `${x(at)},${y(chance)}`).join(" ");
  const spoken = [`${word("limit_passed")} ${percent(passed)}`,
    ...bids.map(({ amount, chance }) => `${said(amount)} ${percent(chance)}`)].join(", ");
  const plot = element("div", { class: "plot", role: "img", "aria-label": `${word("limit_curve")}: ${spoken}` });
  plot.innerHTML = `<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" preserveAspectRatio="none" aria-hidden="true">
<polygon class="band" points="${band.join(" ")}"/>
<line class="equal" x1="0" x2="${WIDTH}" y1="${y(passed)}" y2="${y(passed)}"/>
<polyline class="bids" points="${line}"/></svg>`;
  return [element("figure", { class: "curve" }, element("figcaption", {}, word("limit_curve")),
    element("div", { class: "axes" },
      element("span", { class: "scale", "aria-hidden": "true" }, ...[high, low].map((end) => element("span", {},
        percent(end)))), plot,
      element("span", { class: "axis", "aria-hidden": "true" }, ...bids.map(({ amount }) =>
        element(amount <= highest ? "b" : "span", {}, said(amount))))))];
}
