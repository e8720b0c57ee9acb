// What an agent reports of a decision: its action and why, and all legal actions with probabilities or intervals.

import { curveOf } from "./curve.js";
import { checkBox, element, labelled, select } from "./dom.js";
import { store, stored } from "./storage.js";
import { percent, word } from "./words.js";

const SHOWN = 8; // actions; the others can be opened
const RARE = 0.001; // a lower probability is shown on the logarithmic scale only
const DECADES = 6; // of the logarithmic scale
const TEMPERATURES = [0.5, 1, 2, 4];
const ERRORS = 2; // standard errors that an interval has on each side

/** The elements that show a report. @param {Server.StepThoughts} found */
export function thoughtsOf(found) {
  const place = element("div");
  const fill = () => place.replaceChildren(...actionRows(found.choices));
  const hasOdds = found.choices.some((choice) => choice.probability !== null);
  fill();
  return [
    ...[found.note, found.title, found.value, found.why].filter(Boolean).map((text) => element("p", {}, text)),
    ...hasOdds ? [scales(fill)] : [],
    place, ...curveOf(found.limit),
  ];
}

/** The temperature, and the scale of the bars. @param {() => void} changed */
function scales(changed) {
  const keep = (/** @type {string} */ key, /** @type {unknown} */ value) => {
    store(key, value);
    changed();
  };
  const temperatures = TEMPERATURES.map((one) => /** @type {[string, string]} */ ([String(one), String(one)]));
  return element("div", { class: "row" },
    labelled(word("temperature"), select(temperatures, String(temperature()),
      (value) => keep("temperature", Number(value)), { id: "temperature" })),
    checkBox(word("log_scale"), { id: "log_scale", checked: isLogarithmic(),
      onchange: (event) => keep("log_scale", event.target.checked) }));
}

const temperature = () => stored("temperature", 1);
const isLogarithmic = () => stored("log_scale", false);

/** @param {Server.ChoiceData[]} choices */
function actionRows(choices) {
  const isSearched = choices.some((choice) => choice.utility !== null);
  const rows = isSearched ? intervals(choices) : bars(choices);
  /** @type {HTMLElement[]} */
  const parts = [element("ul", { class: "bars" }, ...rows.slice(0, SHOWN))];
  if (rows.length > SHOWN) {
    parts.push(element("details", {}, element("summary", {}, word("other_actions", { count: rows.length - SHOWN })),
      element("ul", { class: "bars" }, ...rows.slice(SHOWN))));
  }
  if (isSearched) parts.push(element("p", { class: "note" }, word("intervals_note")));
  return parts;
}

/** Probabilities at the chosen temperature. @param {Server.ChoiceData[]} choices */
function bars(choices) {
  const shares = atTemperature(choices.map(({ probability }) => probability ?? 0), temperature());
  return choices.map((choice, index) => {
    const share = shares[index];
    const rare = isLogarithmic() ? share.toExponential(0) : `< ${percent(RARE, 1)}`;
    const label = share >= RARE || share === 0 ? percent(share, 1) : rare;
    const width = isLogarithmic() ? Math.max(0, 1 + Math.log10(Math.max(share, 1e-99)) / DECADES) : share;
    return row(choice, label, { "--share": width });
  });
}

/** Probabilities in proportion to p^(1/T). @param {number[]} probabilities @param {number} degree T */
export function atTemperature(probabilities, degree) {
  const weights = probabilities.map((probability) => probability ** (1 / degree));
  const total = weights.reduce((sum, weight) => sum + weight, 0) || 1;
  return weights.map((weight) => weight / total);
}

/** Mean utilities with an interval each, between the least and the greatest end of all.
 * @param {Server.ChoiceData[]} choices */
function intervals(choices) {
  const found = choices.map(({ utility, error }) => ({ mean: utility ?? 0, error: ERRORS * (error ?? 0) }));
  const least = Math.min(...found.map(({ mean, error }) => mean - error));
  const width = Math.max(...found.map(({ mean, error }) => mean + error)) - least || 1;
  const at = (/** @type {number} */ value) => (value - least) / width;
  return choices.map((choice, index) => {
    const { mean, error } = found[index];
    const spread = choice.error === null ? "" : ` ± ${percent(error)}`;
    return row(choice, `${percent(mean)}${spread} · ${word("visits", { count: choice.playouts })}`,
      { "--from": at(mean - error), "--to": at(mean + error), "--mean": at(mean) });
  });
}

/** @param {Server.ChoiceData} choice @param {string} label @param {Record<string, number>} lengths */
function row(choice, label, lengths) {
  const bar = element("span", { class: "--mean" in lengths ? "interval" : "bar", "aria-hidden": "true" });
  for (const [name, value] of Object.entries(lengths)) bar.style.setProperty(name, String(value));
  const text = `${choice.chosen ? "▸ " : ""}${choice.text}${choice.played ? ` (${word("played")})` : ""}`;
  return element("li", {}, element("span", {}, text), element("span", {}, label), bar);
}
