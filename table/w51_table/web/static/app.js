// The page: language, theme, and which view the address names.

import { form, onTurned, report, request, select, setWords, store, stored, word } from "./dom.js";
import { showForm } from "./form.js";
import { showInvite } from "./invite.js";
import { showLesson } from "./lesson.js";
import { showReplay } from "./replay.js";
import { showTable } from "./table.js";
import { remember, remembered } from "./tables.js";

const SPECTATOR = "public"; // in place of a token
const SETTLED_AFTER = 200; // milliseconds after a change of the layout
const main = document.getElementById("main");
let leave = () => {};
let offer = null;
let asked = 0; // number of the last request for the words of a language
let drawn = form(); // the layout in which the view was shown

async function start(language) {
  const wanted = language ?? stored("language", null);
  asked += 1;
  const mine = asked;
  try {
    const found = await request(`api/offer${wanted ? `?language=${wanted}` : ""}`);
    if (mine !== asked) return; // another language was chosen meanwhile
    offer = found;
  } catch (error) {
    if (mine !== asked) return;
    report(error.message);
    setTimeout(() => start(language), 1000);
    return;
  }
  report("");
  setWords(offer.words);
  document.documentElement.lang = offer.language;
  for (const place of document.querySelectorAll("[data-word]")) place.textContent = word(place.dataset.word);
  const choice = document.getElementById("language");
  if (!choice.length) choice.replaceWith(select(offer.languages.map((code) => [code, nameOf(code)]), offer.language, (code) => {
    store("language", code);
    start(code);
  }, { id: "language" })); // it stays, and keeps the focus
  show();
}

function nameOf(code) {
  const name = new Intl.DisplayNames([code], { type: "language" }).of(code);
  return name.charAt(0).toLocaleUpperCase(code) + name.slice(1);
}

function show() {
  leave();
  leave = () => {};
  drawn = form();
  report("");
  const [, view, name, third, viewer, play] = location.hash.split("/");
  main.replaceChildren();
  if (view === "table" && name) leave = showTable(main, offer, name, ownToken(name, third));
  else if (view === "replay" && name) leave = showReplay(main, offer, name, third ?? "0", viewer, play === "play");
  else if (view === "invite" && name) showInvite(main, offer, name, third ?? "");
  else if (view === "advice") showAdvice();
  else if (view === "lesson" && name) leave = showLesson(main, offer, name);
  else showForm(main, offer, view === "quick" ? name : null);
}

/** The page of a real table, which is loaded when it is opened. */
async function showAdvice() {
  const page = await import("./advice.js");
  if (location.hash.startsWith("#/advice")) leave = page.showAdvice(main, offer);
}

/** The secret of the own seat: from a link, out of whose address it is taken, else as this browser remembers it. */
function ownToken(table, given) {
  const key = `w51.token.${table}`;
  if (given === SPECTATOR) return "";
  if (!given) return sessionStorage.getItem(key) ?? remembered(table)?.token ?? "";
  sessionStorage.setItem(key, given);
  if (!remembered(table)) remember({ table, token: given });
  history.replaceState(null, "", `#/table/${table}`);
  return given;
}

function setTheme(theme) {
  if (theme === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
}

const theme = document.getElementById("theme");
theme.value = stored("theme", "auto");
setTheme(theme.value);
theme.addEventListener("change", () => {
  store("theme", theme.value);
  setTheme(theme.value);
});
window.addEventListener("hashchange", () => {
  if (!offer || !location.hash.startsWith("#/") && location.hash !== "") return;
  show();
  main.focus({ preventScroll: true });
});
onTurned(() => setTimeout(() => {
  if (offer && form() !== drawn && /^#\/(table|replay|lesson|advice)/.test(location.hash)) show();
}, SETTLED_AFTER));
document.querySelector(".skip").addEventListener("click", (event) => {
  event.preventDefault();
  main.focus();
});
start();
