// The page: language, theme, and which view the address names.

import { read } from "./api.js";
import { find, findAll, report, select, watchInput } from "./dom.js";
import { showForm } from "./form.js";
import { form, watchLayout } from "./layout.js";
import { watchPanel } from "./popup.js";
import { store, stored } from "./storage.js";
import { showTable } from "./table.js";
import { remember, remembered } from "./tables.js";
import { setWords, word } from "./words.js";

const SPECTATOR = "public"; // in place of a token
const SETTLED_AFTER = 200; // milliseconds after a change of the layout
const main = find(document, "#main");
let leave = () => {};
/** @type {Server.Offer | null} */
let offer = null;
let asked = 0; // number of the last request for the words of a language
let shown = 0; // number of the view
let drawn = ""; // the layout in which the view was shown

/** @param {string | null} language */
async function start(language = stored("language", null)) {
  asked += 1;
  const mine = asked;
  let found;
  try {
    found = await read("offer", language ? { query: { language } } : {});
  } catch (error) {
    if (mine !== asked) return;
    report(error.message);
    setTimeout(() => start(language), 1000);
    return;
  }
  if (mine !== asked) return; // another language was chosen meanwhile
  offer = found;
  report("");
  setWords(found.words, found.language);
  document.documentElement.lang = found.language;
  for (const place of findAll(document, "[data-word]")) place.textContent = word(place.dataset.word ?? "");
  const choice = find(document, "#language");
  const names = found.languages.map((code) => /** @type {[string, string]} */ ([code, nameOf(code)]));
  if (!choice.childElementCount) choice.replaceWith(select(names, found.language, (code) => {
    store("language", code);
    start(code);
  }, { id: "language" })); // it stays, and keeps the focus
  show(found);
}

/** @param {string} code */
function nameOf(code) {
  const name = new Intl.DisplayNames([code], { type: "language" }).of(code) ?? code;
  return name.charAt(0).toLocaleUpperCase(code) + name.slice(1);
}

/** Show the view of the address. @param {Server.Offer} offered */
function show(offered) {
  leave();
  leave = () => {};
  drawn = form();
  report("");
  const [, view, name, third, viewer, play] = location.hash.split("/");
  main.replaceChildren();
  shown += 1;
  if (view === "table" && name) leave = showTable(main, offered, name, ownToken(name, third));
  else if (view === "replay" && name) {
    const wanted = { name, step: third ?? "0", viewer, isPlaying: play === "play" };
    showLater(import("./replay.js"), ({ showReplay }) => showReplay(main, offered, wanted));
  } else if (view === "invite" && name) {
    showLater(import("./invite.js"), ({ showInvite }) => showInvite(main, offered, name, third ?? ""));
  } else if (view === "advice") {
    showLater(import("./advice.js"), ({ showAdvice }) => showAdvice(main, offered));
  } else if (view === "day" && name) {
    showLater(import("./day.js"), ({ showDay }) => { showDay(main, offered, name, third); });
  } else if (view === "lesson" && name) {
    showLater(import("./lesson.js"), ({ showLesson }) => showLesson(main, offered, name, third));
  } else showForm(main, offered, view === "quick" ? name : null);
}

/** Show a view that is loaded when it is first opened, unless another one was opened meanwhile.
 * @template Page @param {Promise<Page>} loaded @param {(page: Page) => void | (() => void)} open */
async function showLater(loaded, open) {
  const mine = shown;
  try {
    const page = await loaded;
    if (mine === shown) leave = open(page) ?? (() => {});
  } catch (error) {
    report(word("no_server"));
    throw error;
  }
}

/** The secret of the own seat: from a link, out of whose address it is taken, else as this browser remembers it.
 * @param {string} table @param {string | undefined} given */
function ownToken(table, given) {
  const key = `w51.token.${table}`;
  if (given === SPECTATOR) return "";
  if (!given) return sessionStorage.getItem(key) ?? remembered(table)?.token ?? "";
  sessionStorage.setItem(key, given);
  if (!remembered(table)) remember({ table, token: given });
  history.replaceState(null, "", `#/table/${table}`);
  return given;
}

/** @param {string} wanted */
function setTheme(wanted) {
  if (wanted === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = wanted;
}

const theme = /** @type {HTMLSelectElement} */ (find(document, "#theme"));
theme.value = stored("theme", "auto");
setTheme(theme.value);
theme.addEventListener("change", () => {
  store("theme", theme.value);
  setTheme(theme.value);
});
window.addEventListener("hashchange", () => {
  if (!offer || !location.hash.startsWith("#/") && location.hash !== "") return;
  show(offer);
  main.focus({ preventScroll: true });
});
watchLayout(() => setTimeout(() => {
  if (offer && form() !== drawn && /^#\/(table|replay|lesson|advice)/.test(location.hash)) show(offer);
}, SETTLED_AFTER));
watchInput();
watchPanel();
find(document, ".skip").addEventListener("click", (event) => {
  event.preventDefault();
  main.focus();
});
start();
