// The page of a game, which needs nothing else: `game_page` puts this script and the game into it.

import { CONTROLS, Player, controlOf } from "./player.js";

const SPEEDS = [4000, 2000, 1000, 500, 250, 100]; // milliseconds from one step to the next
const SIGNS = { first: "|‹", lot_before: "‹‹", back: "‹", play: "▶", forward: "›", lot_next: "››", last: "›|",
  stop: "■" };
/** @type {Record<string, string>} */
const LABELS = { lot_before: "back_lot", lot_next: "forward_lot" }; // in the languages

/** @param {string} id @returns {any} */
const byId = (id) => document.getElementById(id);

/** What is packed in an element. @param {HTMLElement} element */
function unpacked(element) {
  const bytes = Uint8Array.from(atob(element.textContent), (letter) => letter.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate")));
}

/** @template {keyof HTMLElementTagNameMap} Tag @param {Tag} tag @param {string} text @param {Element | null} parent */
function make(tag, text, parent = null) {
  const made = document.createElement(tag);
  if (text) made.textContent = text;
  if (parent) parent.append(made);
  return made;
}

async function loadFonts() {
  const { family = "", sizes = "" } = byId("fonts").dataset;
  const fonts = await unpacked(byId("fonts")).arrayBuffer();
  let start = 0;
  for (const entry of sizes.split(" ")) {
    const [weight, size] = entry.split(":");
    document.fonts.add(new FontFace(family, fonts.slice(start, start += Number(size)), { weight }));
  }
}

class ReplayPage {
  speed = 2;
  nav = /** @type {HTMLElement} */ (document.querySelector("nav"));
  parser = new DOMParser();
  /** @type {Record<string, HTMLButtonElement>} */
  buttons = {};

  /** @param {Server.Film} film */
  constructor(film) {
    this.film = film;
    this.narrow = matchMedia(this.nav.dataset.narrow ?? "");
    this.player = new Player({ show: (step) => this.show(step), changed: () => this.changed(),
      pace: () => SPEEDS[this.speed] });
    this.player.steps = film.steps.length;
    this.player.lots = film.steps.flatMap((step, index) => (step[1] ? [index] : []));
    for (const control of CONTROLS) {
      this.button(control, LABELS[control] ?? control, SIGNS[control], () => this.player.use(control));
    }
    this.slider = make("input", "", this.nav);
    Object.assign(this.slider, { type: "range", min: 0, max: this.player.last, value: 0 });
    this.slider.setAttribute("aria-label", film.labels.position);
    this.slider.addEventListener("input", () => this.player.go(Number(this.slider.value)));
    this.button("slower", "slower", "−", () => this.pace(-1));
    this.button("faster", "faster", "+", () => this.pace(1));
    this.position = make("output", "", this.nav);
    this.position.id = "position";
    byId("news-title").textContent = film.labels.news;
    this.narrow.addEventListener("change", () => this.show(this.player.step));
    document.addEventListener("keydown", (event) => this.onKey(event));
  }

  /** @param {string} name @param {string} label @param {string} sign @param {() => void} run */
  button(name, label, sign, run) {
    const made = this.buttons[name] = make("button", sign, this.nav);
    made.type = "button";
    made.title = this.film.labels[label];
    made.setAttribute("aria-label", made.title);
    made.addEventListener("click", run);
  }

  changed() {
    this.buttons.play.textContent = this.player.isPlaying ? SIGNS.stop : SIGNS.play;
  }

  /** @param {number} change */
  pace(change) {
    this.speed = Math.max(0, Math.min(SPEEDS.length - 1, this.speed + change));
    this.buttons.slower.disabled = this.speed === 0;
    this.buttons.faster.disabled = this.speed === SPEEDS.length - 1;
    if (this.player.isPlaying) this.player.play();
  }

  /** @param {number} step */
  show(step) {
    const { film, player } = this;
    const [news, , report, then] = film.steps[step];
    const pieces = (this.narrow.matches ? film.narrow : film.picture)[step];
    const picture = this.parser.parseFromString(pieces.map((piece) => film.pieces[piece]).join(""), "image/svg+xml");
    byId("picture").replaceChildren(document.importNode(picture.documentElement, true));
    byId("news").replaceChildren(...news.map((sentence) => make("li", sentence)));
    byId("then").textContent = then || film.steps[step + 1]?.[0][0] || ""; // what this viewer sees of the decision
    byId("report").replaceChildren();
    if (report) this.report(report);
    this.slider.value = String(step);
    const lots = player.lots.length ? ` · ${player.lot} / ${player.lots.length}` : "";
    this.position.textContent = `${step} / ${player.last}${lots}`;
    for (const name of ["first", "back", "lot_before"]) this.buttons[name].disabled = step === 0;
    for (const name of ["last", "forward", "lot_next"]) this.buttons[name].disabled = step === player.last;
    try { history.replaceState(null, "", `#${step}`); } catch { /* a page that may not change its address */ }
  }

  /** @param {Server.Report} report */
  report([title, value, rows]) {
    make("h2", title, byId("report"));
    if (value) make("div", value, byId("report"));
    const body = make("tbody", "", make("table", "", byId("report")));
    for (const [label, fraction, action] of rows) {
      const row = make("tr", "", body);
      make("td", label, row);
      make("td", action, row).style.setProperty("--fraction", `${100 * fraction}%`);
    }
  }

  /** @param {KeyboardEvent} event */
  onKey(event) {
    const isButton = event.target instanceof HTMLButtonElement;
    if (event.altKey || event.ctrlKey || event.metaKey || (event.key === " " && isButton)) return;
    const control = controlOf(event.key);
    if (control) this.player.use(control);
    else if (event.key === "+" || event.key === "-") this.pace(event.key === "+" ? 1 : -1);
    else return;
    event.preventDefault();
  }
}

const page = new ReplayPage(JSON.parse(await unpacked(byId("data")).text()));
await loadFonts();
page.player.show(Number(location.hash.slice(1)) || 0);
