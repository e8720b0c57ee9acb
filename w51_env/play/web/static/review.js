// After a game: the result, everything that was hidden, and the decisions at which the hint was another action.

import { element, form, request, word } from "./dom.js";
import { agentName } from "./form.js";

/** Fill `place` with the review of a finished table; calls `show(found)` with the picture of everything. */
export async function showReview(place, { name, token, language }, show) {
  place.hidden = false;
  place.replaceChildren(element("h2", {}, word("review")), element("p", { role: "status" }, word("thinking")));
  try {
    const found = await request(`api/review/${name}?language=${language}&form=${form()}`,
      { headers: { authorization: `Bearer ${token}` } });
    show(found);
    const link = (step, label) => element("a", { href: `#/replay/${found.replay}/${step}/all` }, label);
    place.replaceChildren(element("h2", {}, word("review")),
      element("ul", { class: "standings" }, ...found.standings.map(([rank, player, total]) =>
        element("li", { class: rank === 1 ? "first" : "" }, element("b", {}, `${rank}.`), element("span", {}, ` ${player} `),
          element("b", {}, total.toLocaleString(document.documentElement.lang))))),
      element("p", { class: "row links" }, link(0, word("watch_replay")),
        element("a", { href: `api/replays/${found.replay}/file`, download: `${found.replay}.json` }, word("save_replay")),
        element("a", { href: "#/" }, word("new_table"))),
      element("p", { class: "note" }, word("seed_was", { seed: found.seed })),
      ...(found.decisions ? differences(found, link) : []));
  } catch (error) {
    place.replaceChildren(element("p", {}, error.message));
  }
}

function differences(found, link) {
  const rows = found.differences.map((one) => element("tr", {}, element("th", { scope: "row" }, link(one.step, one.where)),
    element("td", {}, one.action), element("td", {}, one.hint)));
  const head = ["lot", "you", "hint"].map((key) => element("th", { scope: "col" }, word(key)));
  const title = word("hint_differs", { agent: agentName(found.agent), count: rows.length, decisions: found.decisions });
  return [element("h3", {}, title), element("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": title },
    element("table", { class: "differences" }, element("thead", {}, element("tr", {}, ...head)), element("tbody", {}, ...rows)))];
}
