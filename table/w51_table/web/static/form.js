// The start page: quick games, the tables of this browser, the form of a new table, and replays.

import { addressOf, change } from "./api.js";
import { button, element, labelled, report, setTitle } from "./dom.js";
import { levelChoice } from "./levels.js";
import { NewTable } from "./new_table.js";
import { keptPractice } from "./practice.js";
import { stored } from "./storage.js";
import { tableList } from "./tables.js";
import { has, word } from "./words.js";

/** The start page; with `quick`, the id of a game, a quick game begins at once. @param {HTMLElement} main
 * @param {Server.Offer} offer @param {string | null} quick */
export function showForm(main, offer, quick = null) {
  const table = new NewTable(offer);
  setTitle(word("new_table"));
  main.append(element("h1", {}, word("home")), gameCards(offer, (game) => table.quick(game)),
    ...tableList(offer.language), ...keptPractice(),
    element("p", {}, element("a", { class: "button", href: "#/advice" }, word("advice"))),
    element("h2", { class: "own" }, word("own_settings")), table.form, replays(offer.language));
  if (quick !== null && offer.games.some((game) => game.id === quick)) {
    history.replaceState(null, "", "#/"); // to go back begins no other game
    table.quick(quick);
  }
}

/** The games with a picture, what they are, and buttons to begin at once. @param {Server.Offer} offer
 * @param {(game: string) => void} quick */
function gameCards({ games, lessons, language }, quick) {
  return element("div", { class: "games" }, ...games.map((game) => gameCard(game, lessons, language, quick)));
}

/** @param {Server.GameOffer} game @param {readonly string[]} lessons @param {string} language
 * @param {(game: string) => void} quick */
function gameCard(game, lessons, language, quick) {
  const { id, title } = game;
  return element("section", { class: "panel game" }, cover(id, language),
    element("div", {}, element("h2", {}, title),
      has(`about_${id}`) ? element("p", {}, word(`about_${id}`)) : null,
      ...levelChoice(game),
      element("p", { class: "row" },
        button(word("quick_game"), () => quick(id), { class: "primary", "data-quick": id }),
        lessons.includes(id) ? element("a", { class: "button", href: `#/lesson/${id}` }, word("guided_game"))
          : null,
        ...topicList(game),
        game.levels.length ? element("a", { class: "button", href: `#/day/${id}` }, word("day")) : null)));
}

/** The short lessons, each with how many of its choices were right at the first try. @param {Server.GameOffer} game */
function topicList({ id, topics }) {
  const done = stored("topics", /** @type {Record<string, number>} */ ({}));
  const links = topics.map((topic) => element("li", {}, element("a", { href: `#/lesson/${id}/${topic}` },
    word(`topic_${topic}`)), topic in done ? ` ✓ ${done[topic]}` : ""));
  return topics.length ? [element("details", { class: "topics" }, element("summary", {}, word("short_lessons")),
    element("ul", {}, ...links))] : [];
}

/** A lot of the game; part of the page, so that it has its colours and font. @param {string} game
 * @param {string} language */
function cover(game, language) {
  const place = element("div", { class: "cover" });
  fetch(addressOf("covers/{game}", { game, query: { language } })).then(async (answer) => {
    if (answer.ok) place.innerHTML = await answer.text();
  }).catch(() => {}); // the page works without
  return place;
}

/** @param {string} language */
function replays(language) {
  const open = async (/** @type {any} */ event) => {
    const [file] = event.target.files;
    if (!file) return;
    try {
      const { replay } = await change("replays", { query: { language }, body: await file.text() });
      location.hash = `#/replay/${replay}`;
    } catch (error) {
      report(error.message);
    }
  };
  return element("section", { class: "panel" }, element("h2", {}, word("open_replay")),
    labelled(word("replay_file"), element("input", { type: "file", id: "replay", accept: ".json", onchange: open })));
}
