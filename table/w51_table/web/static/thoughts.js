// What an agent reports of a decision: its action and why, and all legal actions with probabilities or intervals.

import { percent } from "./chart.js";
import { agentName } from "./form.js";
import { element, labelled, select, store, stored, word } from "./dom.js";

const SHOWN = 8; // actions; the others can be opened
const RARE = 0.001; // a lower probability is shown on the logarithmic scale only
const DECADES = 6; // of the logarithmic scale
const TEMPERATURES = [0.5, 1, 2, 4];
const ERRORS = 2; // standard errors that an interval has on each side

/** The elements that show `found`, as the server sends it. */
export function thoughtsOf(found) {
  const place = element("div");
  const controls = [];
  const fill = () => place.replaceChildren(...actionRows(found.choices));
  if (found.choices.some((choice) => choice.probability !== null)) {
    controls.push(labelled(word("temperature"), select(TEMPERATURES.map((one) => [String(one), String(one)]),
      String(temperature()), (value) => { store("temperature", Number(value)); fill(); }, { id: "temperature" })));
    const log = element("input", { type: "checkbox", id: "log_scale", checked: stored("log_scale", false),
      onchange: () => { store("log_scale", log.checked); fill(); } });
    controls.push(element("label", { class: "check" }, log, word("log_scale")));
  }
  fill();
  const belief = (found.belief ?? []).map(([name, kinds]) => element("li", {}, element("b", {}, `${name}: `),
    kinds.map(([kind, chance]) => `${agentName(kind)} ${percent(chance)}`).join(", ")));
  return [found.note, found.title, found.value, found.why].filter(Boolean).map((text) => element("p", {}, text))
    .concat(controls.length ? element("div", { class: "row" }, ...controls) : [], place,
      belief.length ? [element("h3", {}, word("plays_with")), element("ul", { class: "belief" }, ...belief)] : []);
}

function temperature() {
  return stored("temperature", 1);
}

function actionRows(choices) {
  const searched = choices.some((choice) => choice.utility !== null);
  const rows = searched ? intervals(choices) : bars(choices);
  const parts = [element("ul", { class: "bars" }, ...rows.slice(0, SHOWN))];
  if (rows.length > SHOWN) {
    parts.push(element("details", {}, element("summary", {}, word("other_actions", { count: rows.length - SHOWN })),
      element("ul", { class: "bars" }, ...rows.slice(SHOWN))));
  }
  if (searched) parts.push(element("p", { class: "note" }, word("intervals_note")));
  return parts;
}

/** Probabilities at the chosen temperature. */
function bars(choices) {
  const log = stored("log_scale", false);
  const weights = choices.map(({ probability }) => (probability ?? 0) ** (1 / temperature()));
  const total = weights.reduce((sum, weight) => sum + weight, 0) || 1;
  return choices.map((choice, index) => {
    const share = weights[index] / total;
    const label = share >= RARE || share === 0 ? percent(share, 1) : log ? share.toExponential(0) : `< ${percent(RARE, 1)}`;
    const width = log ? Math.max(0, 1 + Math.log10(Math.max(share, 1e-99)) / DECADES) : share;
    return row(choice, label, { "--share": width });
  });
}

/** Mean utilities with an interval each, between the least and the greatest end of all. */
function intervals(choices) {
  const ends = choices.map(({ utility, error }) => [utility - ERRORS * (error ?? 0), utility + ERRORS * (error ?? 0)]);
  const least = Math.min(...ends.map(([from]) => from));
  const width = Math.max(...ends.map(([, to]) => to)) - least || 1;
  const at = (value) => (value - least) / width;
  return choices.map((choice, index) => {
    const spread = choice.error === null ? "" : ` ± ${percent(choice.error, 1)}`;
    const [from, to] = ends[index].map(at);
    return row(choice, `${percent(choice.utility, 1)}${spread} · ${word("visits", { count: choice.playouts })}`,
      { "--from": from, "--to": to, "--mean": at(choice.utility) });
  });
}

function row(choice, label, lengths) {
  const bar = element("span", { class: "--mean" in lengths ? "interval" : "bar", "aria-hidden": "true" });
  for (const [name, value] of Object.entries(lengths)) bar.style.setProperty(name, value);
  const text = `${choice.chosen ? "▸ " : ""}${choice.text}${choice.played ? ` (${word("played")})` : ""}`;
  return element("li", {}, element("span", {}, text), element("span", {}, label), bar);
}
