// The tables that this browser remembers, and how each game stands.

import { read } from "./api.js";
import { button, element, find } from "./dom.js";
import { store, stored } from "./storage.js";
import { languageOf, titled, word } from "./words.js";

const MOST = 20;

/**
 * @typedef {object} KeptTable
 * @property {string} table its name
 * @property {string} token the own one
 * @property {string[]} tokens of those who were invited by link
 * @property {string[]} names
 * @property {string} title
 * @property {number} when
 */

/** @returns {KeptTable[]} */
const kept = () => stored("tables", []);

/** Remember a table. @param {Partial<KeptTable> & {table: string, token: string}} table */
export function remember(table) {
  const others = kept().filter((one) => one.table !== table.table);
  store("tables", [{ tokens: [], names: [], title: "", ...table, when: Date.now() }, ...others].slice(0, MOST));
}

/** What is remembered of a table; undefined if nothing is. @param {string} table */
export const remembered = (table) => kept().find((one) => one.table === table);

/** The list of the start page, or nothing; each game says how it stands once the server has answered.
 * @param {string} language */
export function tableList(language) {
  const tables = kept();
  if (!tables.length) return [];
  const items = tables.map(itemOf);
  showStates(tables, items, language);
  return [element("section", { class: "panel" }, element("h2", {}, word("your_tables")),
    element("ul", { class: "tables" }, ...items))];
}

/** @param {KeptTable} kept */
function itemOf({ table, token, title, names, when }) {
  const name = names.length ? titled(title, names.join(", ")) : title || table;
  const time = new Date(when).toLocaleString(languageOf(), { dateStyle: "medium", timeStyle: "short" });
  const item = element("li", {}, element("a", { href: token ? `#/table/${table}` : `#/replay/${table}` }, name), " ",
    element("span", { class: "state" }), element("time", {}, time),
    button("×", () => {
      store("tables", kept().filter((one) => one.table !== table));
      item.remove();
    }, { class: "quiet", "aria-label": word("delete_table", { title: name }) }));
  return item;
}

/** @param {KeptTable[]} tables @param {HTMLElement[]} items @param {string} language */
async function showStates(tables, items, language) {
  for (const [index, { table, token }] of tables.entries()) {
    if (!token) continue;
    const place = find(items[index], ".state");
    try {
      const found = await read("tables/{name}", { name: table, query: { language }, token });
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
