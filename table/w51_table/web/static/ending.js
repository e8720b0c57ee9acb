// The end of a game: the score counted up line by line in the picture, who has won, why ties are as they are.

import { dayNews } from "./day_games.js";
import { button, element, find, findAll } from "./dom.js";
import { levelNews } from "./levels.js";
import { rematch } from "./rematch.js";
import { scoreTable } from "./score.js";
import { sound } from "./sounds.js";
import { speed } from "./staging.js";
import { listed, said, word } from "./words.js";

const LINE = 550; // milliseconds from one line of the score to the next

/** Who has won, in one sentence; `own` is the visitor's seat. @param {Server.Review["standings"]} standings
 * @param {number | null} own */
export function resultOf(standings, own) {
  const winners = standings.filter(([rank]) => rank === 1);
  const points = said(winners[0][2]);
  if (winners.length > 1) return word("shared_win", { names: listed(winners.map(([, name]) => name)), points });
  const second = said(Math.max(...standings.slice(1).map(([, , total]) => total)));
  const [[, name, , seat]] = winners;
  return seat === own ? word("you_win", { points, second }) : word("other_wins", { name, points, second });
}

/** Show the lines of the score sheet in `place` one after another; a click or a key shows all of them.
 * @param {HTMLElement} place */
export async function countUp(place) {
  /** @type {Map<number, HTMLElement[]>} */
  const lines = new Map(); // by number
  for (const line of findAll(place, "[data-line]")) {
    const number = Number(line.dataset.line);
    lines.set(number, [...lines.get(number) ?? [], line]);
  }
  place.classList.remove("counting");
  if (!lines.size || !speed() || document.hidden) return;
  const ends = new AbortController();
  let isSkipped = false;
  const skipped = new Promise((resolve) => {
    for (const kind of ["pointerdown", "keydown"]) {
      document.addEventListener(kind, resolve, { signal: ends.signal, capture: true });
    }
  }).then(() => { isSkipped = true; });
  /** @param {HTMLElement[]} line @param {number} opacity */
  const appear = (line, opacity) => line.forEach((part) => { part.style.opacity = String(opacity); });
  lines.forEach((line) => appear(line, 0));
  for (const [, line] of [...lines].sort(([one], [other]) => one - other)) {
    appear(line, 1);
    if (isSkipped) continue;
    sound("coin");
    await Promise.race([skipped, new Promise((resolve) => setTimeout(resolve, LINE * speed()))]);
  }
  ends.abort();
}

/** Where all money came from and went, as a table; nothing in games without such a ledger.
 * @param {Server.ScoreData | null} score */
export function ledgerTable(score) {
  return score?.ledger ? scoreTable({ ...score, rows: score.rows.slice(0, score.decides + 1) }).slice(1) : [];
}

/** What is in place of the actions when a game is over: the ledger, the reasons of ties, and the next steps.
 * @param {Server.Review} review
 * @param {{name: string, token: string, seat: number | null, offer: Server.Offer}} own of the table and the visitor */
export function endingPanel({ score, standings }, { name, token, seat, offer }) {
  const news = [...levelNews(name, standings, seat, offer.games), ...dayNews(name)];
  const again = seat === null || news.length ? null : () => rematch(name, token, offer.language);
  const reasons = (score?.notes ?? []).map((note) => element("li", {}, note));
  const toReview = () => find(document, ".review").scrollIntoView({ block: "start" });
  return [
    ...news,
    ...ledgerTable(score && { ...score, notes: [] }),
    ...(reasons.length ? [element("ul", { class: "ties" }, ...reasons)] : []),
    element("div", { class: "row" },
      ...(again ? [button(word("play_again"), again, { class: "primary", id: "again" })] : []),
      button(word("review"), toReview, { id: "to-review" }),
      element("a", { class: "button", href: `#/replay/${name}/0/all` }, word("watch_replay"))),
  ];
}
