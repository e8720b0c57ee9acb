// The tables that this browser remembers, and how each game stands.

import { element, request, store, stored, word } from "./dom.js";

const MOST = 20;

/** Remember a table: its name, the own token, the tokens of those who were invited by link, names, title. */
export function remember(table) {
  const others = stored("tables", []).filter((one) => one.table !== table.table);
  store("tables", [{ tokens: [], names: [], title: "", ...table, when: Date.now() }, ...others].slice(0, MOST));
}

/** What is remembered of a table; undefined if nothing is. */
export function remembered(table) {
  return stored("tables", []).find((one) => one.table === table);
}

/** The list of the start page, or nothing; each game says how it stands once the server has answered. */
export function tableList(language) {
  const kept = stored("tables", []);
  if (!kept.length) return [];
  const items = kept.map((table) => itemOf(table));
  showStates(kept, items, language);
  return [element("section", { class: "panel" }, element("h2", {}, word("your_tables")), element("ul", { class: "tables" }, ...items))];
}

function itemOf({ table, token, title, names, when }) {
  const name = names.length ? `${title}: ${names.join(", ")}` : title || table;
  const item = element("li", {}, element("a", { href: token ? `#/table/${table}` : `#/replay/${table}` }, name), " ",
    element("span", { class: "state" }),
    element("time", {}, new Date(when).toLocaleString(document.documentElement.lang, { dateStyle: "medium", timeStyle: "short" })),
    element("button", { type: "button", class: "quiet", "aria-label": word("delete_table", { title: name }), onclick: () => {
      store("tables", stored("tables", []).filter((one) => one.table !== table));
      item.remove();
    } }, "×"));
  return item;
}

async function showStates(kept, items, language) {
  for (const [index, { table, token }] of kept.entries()) {
    if (!token) continue;
    const place = items[index].querySelector(".state");
    try {
      const found = await request(`api/tables/${table}?language=${language}`, { headers: { authorization: `Bearer ${token}` } });
      const state = found.over ? word("over") : found.yours ? word("yours_now") : found.headline;
      const points = found.standings.map(([name, total]) => `${name} ${total}`).join(", ");
      place.textContent = points ? `${state} (${points})` : state;
      place.classList.toggle("strong", found.yours);
    } catch {
      place.textContent = word("no_table");
    }
    if (!place.isConnected) return; // another page is shown
  }
}
