// The next game with the same people: everybody keeps the own token.

import { change } from "./api.js";
import { button, element, report } from "./dom.js";
import { remember, remembered } from "./tables.js";
import { word } from "./words.js";

/** Set up the next game of a table, and go there.
 * @param {string} name @param {string} token @param {string} language */
export async function rematch(name, token, language) {
  try {
    goTo(name, token, (await change("tables/{name}/rematch", { name, query: { language }, token })).table);
  } catch (error) {
    report(error.message);
  }
}

/** Offer, in place of the actions, the next game that somebody has begun. @param {HTMLElement} actions
 * @param {string} name @param {string} token @param {string | null} next */
export function showNext(actions, name, token, next) {
  if (!next || actions.dataset.next === next) return;
  actions.dataset.next = next;
  actions.hidden = false;
  actions.replaceChildren(element("p", {}, word("next_is_there")),
    button(word("join_next"), () => goTo(name, token, next), { class: "primary", id: "next" }));
}

/** @param {string} name @param {string} token @param {string} next */
function goTo(name, token, next) {
  if (!remembered(next)) remember({ token, ...remembered(name), table: next });
  location.hash = `#/table/${next}${token ? `/${token}` : "/public"}`;
}
