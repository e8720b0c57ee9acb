// The deal of the day: the same cards for everybody at this server. This browser remembers which tables were its games.

import { change, read } from "./api.js";
import { addressOf, keepGame, keptGames } from "./day_games.js";
import { button, copyButton, element, labelled, pageAddress, report, setTitle, showNothing } from "./dom.js";
import { saveFile } from "./files.js";
import { store, stored } from "./storage.js";
import { remember } from "./tables.js";
import { languageOf, said, titled, word } from "./words.js";

const MOST_SHOWN = 12; // in the picture

/** A date as the language writes it. @param {string} date */
const dateOf = (date) => new Date(`${date}T12:00`).toLocaleDateString(languageOf(), { dateStyle: "long" });

/**
 * What is known of a day beside the answer of the server.
 * @typedef {{game: string, own: import("./day_games.js").DayGame | undefined, offer: Server.Offer}} Known
 */

/** The page of a day; of today without a date. @param {HTMLElement} main @param {Server.Offer} offer
 * @param {string} game @param {string} [date] */
export async function showDay(main, offer, game, date) {
  const place = element("div", {}, element("p", {}, word("loading")));
  main.append(place);
  setTitle(word("day"));
  const ownOf = (/** @type {string | undefined} */ when) =>
    keptGames().find((one) => one.game === game && one.date === when && !one.again);
  const ask = (/** @type {string | undefined} */ when) => {
    const own = ownOf(when);
    const query = { language: offer.language, ...(when ? { date: when } : {}), ...(own ? { table: own.table } : {}) };
    return read("days/{game}", { game, query, token: own?.token ?? "" });
  };
  try {
    let found = await ask(date);
    if (!date && ownOf(found.date)) found = await ask(found.date); // it has said which day it is
    place.replaceChildren(...sections(found, { game, own: ownOf(found.date), offer }));
  } catch (error) {
    if (place.isConnected) showNothing(main, error.message);
  }
}

/** @param {Server.DayData} found @param {Known} known */
function sections(found, known) {
  const { title, today, opponents, played } = found;
  const heading = titled(word("day"), title);
  const about = word("day_about", { count: opponents.length, opponent: opponents[0] });
  setTitle(word("day"), title);
  return [
    element("section", { class: "panel" }, element("h1", {}, heading),
      element("p", {}, dateOf(found.date), " · ", word("day_played", { played })),
      element("p", {}, word(today ? "day_rule" : "day_over")), today ? element("p", {}, about) : null,
      next(found, known)),
    ...(found.results.length ? [comparison(heading, found, known)] : [])];
}

/** What can be done with the day: begin, go on, or go to that of today. @param {Server.DayData} found
 * @param {Known} known */
function next({ today, over }, { game, own, offer }) {
  const link = (/** @type {string} */ href, /** @type {string} */ key) =>
    element("p", {}, element("a", { class: "button primary", href }, word(key)));
  if (!today) return link(`#/day/${game}`, "day_today");
  if (own) return over ? null : link(`#/table/${own.table}`, "day_go_on");
  const name = labelled(word("your_name"), element("input", { id: "day-name", maxlength: 24, autocomplete: "nickname",
    value: stored("name", "") }));
  return element("form", { class: "row", onsubmit: (event) => {
    event.preventDefault();
    store("name", name.control.value.trim());
    play(game, false, offer.language);
  } }, name, element("button", { class: "primary", id: "begin-day" }, word("begin")));
}

/** The results with what can be shared. @param {string} heading @param {Server.DayData} found @param {Known} known */
function comparison(heading, found, { game, offer }) {
  const picture = drawn(heading, found);
  const link = `${offer.address ?? pageAddress()}/${addressOf(game, found.date)}`;
  return element("section", { class: "panel" }, element("figure", { class: "day" }, picture),
    element("p", { class: "row" },
      button(word("day_save"), () => saveDrawing(picture, `${found.date}-${game}.png`), { id: "save-day" }),
      copyButton(link, word("day_link"), "day"),
      found.today ? button(word("day_once_more"), () => play(game, true, offer.language), { class: "quiet",
        id: "day-again" }) : null));
}

/** Begin; `again`, with cards that this browser has seen before. @param {string} game @param {boolean} again
 * @param {string} language */
async function play(game, again, language) {
  try {
    const body = JSON.stringify({ name: stored("name", "") || word("player", { seat: 1 }), again });
    const { table, token, names, date } = await change("days/{game}", { game, query: { language }, body });
    keepGame({ game, date, table, token, again });
    remember({ table, token, names: [...names], title: word("day") });
    location.hash = `#/table/${table}/${token}`;
  } catch (error) {
    report(error.message);
  }
}

const WIDE = 640;
const ROW = 36;

/** The results as a picture: a bar for the points of each, the own one marked. @param {string} heading
 * @param {Server.DayData} found */
function drawn(heading, { date, results }) {
  const own = results.findIndex((one) => one.own);
  const rows = results.slice(0, MOST_SHOWN);
  if (own >= MOST_SHOWN) rows.splice(-1, 1, results[own]);
  const most = Math.max(1, ...rows.map((one) => one.points));
  const svg = shape("svg", { viewBox: `0 0 ${WIDE} ${96 + ROW * rows.length}`, role: "img", class: "w51-table" });
  svg.append(shape("title", {}, `${heading}, ${dateOf(date)}`),
    shape("rect", { width: WIDE, height: 96 + ROW * rows.length, class: "ground" }),
    shape("text", { x: 24, y: 40, class: "head" }, heading), shape("text", { x: 24, y: 66 }, dateOf(date)));
  rows.forEach((one, index) => {
    const y = 84 + ROW * index;
    const kind = one.own ? "own" : one.agent ? "agent" : "";
    svg.append(shape("rect", { x: 290, y: y + 4, height: 22, rx: 4, class: `mark ${kind}`,
      width: Math.max(2, 120 * Math.max(0, one.points) / most) }),
    shape("text", { x: 24, y: y + 21, class: kind }, shortened(one.name)),
    shape("text", { x: WIDE - 24, y: y + 21, class: `${kind} end` },
      word("day_result", { points: said(one.points), rank: one.rank })));
  });
  return svg;
}

/** @param {string} name */
const shortened = (name) => ([...name].length > 22 ? `${[...name].slice(0, 21).join("")}…` : name);

/** A shape of SVG. @param {string} tag @param {Record<string, string | number>} attributes @param {string} text */
function shape(tag, attributes, text = "") {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, String(value));
  made.textContent = text;
  return /** @type {SVGElement} */ (made);
}

/** Save a drawing as a picture of pixels, in the colours of the page. @param {SVGElement} svg @param {string} name */
async function saveDrawing(svg, name) {
  const copy = /** @type {SVGElement} */ (svg.cloneNode(true));
  const parts = [svg, ...svg.querySelectorAll("*")];
  [copy, ...copy.querySelectorAll("*")].forEach((part, index) => {
    const { fill: colour, fontFamily, fontSize, fontWeight, textAnchor } = getComputedStyle(parts[index]);
    part.setAttribute("style", `fill:${colour};font:${fontWeight} ${fontSize} ${fontFamily};text-anchor:${textAnchor}`);
  });
  const [, , width, height] = (svg.getAttribute("viewBox") ?? "").split(" ").map(Number);
  copy.setAttribute("width", String(2 * width));
  copy.setAttribute("height", String(2 * height));
  const image = new Image();
  image.src = `data:image/svg+xml,${encodeURIComponent(new XMLSerializer().serializeToString(copy))}`;
  await image.decode();
  const canvas = element("canvas", { width: 2 * width, height: 2 * height });
  canvas.getContext("2d")?.drawImage(image, 0, 0);
  canvas.toBlob((blob) => { if (blob) saveFile(blob, name); });
}
