// The next game with the same people: everybody keeps the own token.

import { element, report, request, word } from "./dom.js";
import { remember, remembered } from "./tables.js";

/** Set up the next game of a table, and go there. */
export async function rematch(name, token, language) {
  try {
    const made = await request(`api/tables/${name}/rematch?language=${language}`,
      { method: "POST", headers: { authorization: `Bearer ${token}` } });
    goTo(name, token, made.table);
  } catch (error) {
    report(error.message);
  }
}

/** Offer, in place of the actions, the next game that somebody has begun. */
export function showNext(actions, name, token, next) {
  if (!next || actions.dataset.next === next) return;
  actions.dataset.next = next;
  actions.hidden = false;
  actions.replaceChildren(element("p", {}, word("next_is_there")),
    element("button", { type: "button", class: "primary", id: "next", onclick: () => goTo(name, token, next) }, word("join_next")));
}

function goTo(name, token, next) {
  if (!remembered(next)) remember({ token, ...remembered(name), table: next });
  location.hash = `#/table/${next}${token ? `/${token}` : "/public"}`;
}
