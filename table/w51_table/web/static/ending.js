// The end of a game: the score counted up line by line in the picture, who has won, why ties are as they are, what next.

import { element, word } from "./dom.js";
import { scoreTable } from "./score.js";
import { sound } from "./sounds.js";
import { speed } from "./staging.js";

const LINE = 550; // milliseconds from one line of the score to the next

/** Who has won, in one sentence; `standings` are [rank, name, total, seat], the best first; `own` is the visitor's seat. */
export function resultOf(standings, own) {
  const winners = standings.filter(([rank]) => rank === 1);
  const said = (number) => number.toLocaleString(document.documentElement.lang);
  const points = said(winners[0][2]);
  if (winners.length > 1) return word("shared_win", { names: winners.map(([, name]) => name).join(", "), points });
  const second = said(Math.max(...standings.slice(1).map(([, , total]) => total)));
  return winners[0][3] === own ? word("you_win", { points, second }) : word("other_wins", { name: winners[0][1], points, second });
}

/** Show the lines of the score sheet in `place` one after another; a click or a key shows all of them. */
export async function countUp(place) {
  const lines = new Map(); // by number
  for (const line of place.querySelectorAll("[data-line]")) lines.set(Number(line.dataset.line), [...lines.get(Number(line.dataset.line)) ?? [], line]);
  place.classList.remove("counting");
  if (!lines.size || !speed() || document.hidden) return;
  const ends = new AbortController();
  let isSkipped = false;
  const skipped = new Promise((resolve) => {
    for (const kind of ["pointerdown", "keydown"]) document.addEventListener(kind, resolve, { signal: ends.signal, capture: true });
  }).then(() => { isSkipped = true; });
  const appear = (line, opacity) => line.forEach((part) => { part.style.opacity = opacity; });
  lines.forEach((line) => appear(line, 0));
  for (const [, line] of [...lines].sort(([one], [other]) => one - other)) {
    appear(line, 1);
    if (isSkipped) continue;
    sound("coin");
    await Promise.race([skipped, new Promise((resolve) => setTimeout(resolve, LINE * speed()))]);
  }
  ends.abort();
}

/** Where all money came from and went, as a table; nothing in games without such a ledger. */
export function ledgerTable(score) {
  return score?.ledger ? scoreTable({ ...score, rows: score.rows.slice(0, score.decides + 1) }).slice(1) : [];
}

/** What is in place of the actions when a game is over: the ledger, the reasons of ties, and the next steps. */
export function endingPanel({ score }, name, again) {
  const reasons = (score?.notes ?? []).map((note) => element("li", {}, note));
  return [
    ...ledgerTable({ ...score, notes: [] }),
    ...(reasons.length ? [element("ul", { class: "ties" }, ...reasons)] : []),
    element("div", { class: "row" }, ...(again ? [element("button", { type: "button", class: "primary", id: "again", onclick: again }, word("play_again"))] : []),
      element("button", { type: "button", id: "to-review", onclick: () => document.querySelector(".review").scrollIntoView({ block: "start" }) }, word("review")),
      element("a", { class: "button", href: `#/replay/${name}/0/all` }, word("watch_replay"))),
  ];
}
