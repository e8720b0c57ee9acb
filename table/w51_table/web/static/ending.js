// The end of a game: the score counted up line by line in the picture, who has won, why ties are as they are, what next.

import { element, word } from "./dom.js";
import { sound } from "./sounds.js";
import { speed } from "./staging.js";

const LINE = 550; // milliseconds from one line of the score to the next

/** Who has won, in one sentence; `standings` are [rank, name, total], the best first, and `own` the name of the visitor. */
export function resultOf(standings, own) {
  const winners = standings.filter(([rank]) => rank === 1);
  const said = (number) => number.toLocaleString(document.documentElement.lang);
  const points = said(winners[0][2]);
  if (winners.length > 1) return word("shared_win", { names: winners.map(([, name]) => name).join(", "), points });
  const second = said(Math.max(...standings.slice(1).map(([, , total]) => total)));
  return winners[0][1] === own ? word("you_win", { points, second }) : word("other_wins", { name: winners[0][1], points, second });
}

/** Show the lines of the score sheet in `picture` one after another; a click or a key shows all of them. */
export async function countUp(picture) {
  const lines = [...picture.querySelectorAll("[data-line]")].sort((a, b) => a.dataset.line - b.dataset.line);
  picture.classList.remove("counting");
  if (!lines.length || !speed() || document.hidden) return;
  const ends = new AbortController();
  const skipped = new Promise((resolve) => {
    for (const kind of ["pointerdown", "keydown"]) document.addEventListener(kind, resolve, { signal: ends.signal, capture: true });
  });
  for (const line of lines) line.style.opacity = 0;
  let isSkipped = false;
  skipped.then(() => { isSkipped = true; });
  for (const line of lines) {
    line.style.opacity = 1;
    if (isSkipped) continue;
    sound("coin");
    await Promise.race([skipped, new Promise((resolve) => setTimeout(resolve, LINE * speed()))]);
  }
  ends.abort();
}

/** What stands in place of the actions when a game is over: the reasons of ties, and the next steps. */
export function endingPanel({ score }, name, again) {
  const reasons = (score?.notes ?? []).map((note) => element("li", {}, note));
  return [
    ...(reasons.length ? [element("ul", { class: "ties" }, ...reasons)] : []),
    element("div", { class: "row" }, ...(again ? [element("button", { type: "button", class: "primary", id: "again", onclick: again }, word("play_again"))] : []),
      element("button", { type: "button", id: "to-review", onclick: () => document.querySelector(".review").scrollIntoView({ block: "start" }) }, word("review")),
      element("a", { class: "button", href: `#/replay/${name}/0/all` }, word("watch_replay"))),
  ];
}
