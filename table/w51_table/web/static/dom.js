// Elements, words and requests.

let words = {};

export function setWords(found) {
  words = found;
}

/** The text of a key with its {placeholders} filled in. */
export function word(key, values = {}) {
  return fill(words[key] ?? key, values);
}

/** Whether there is a text of a key. */
export const has = (key) => key in words;

/** A text with its {placeholders} filled in. */
export function fill(text, values = {}) {
  return text.replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole);
}

/** An element: `element("button", {class: "x", onclick: f}, "text", child)`. */
export function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (typeof value === "boolean") made.toggleAttribute(name, value);
    else if (value !== null && value !== undefined) made.setAttribute(name, value);
  }
  made.append(...children.filter((child) => child !== null));
  return made;
}

/** A labelled control. */
export function labelled(text, control) {
  return element("label", { class: "field" }, element("span", {}, text), control);
}

export function select(options, chosen, onchange, attributes = {}) {
  const items = options.map(([value, text]) => element("option", { value, selected: value === chosen }, text));
  return element("select", { ...attributes, onchange: (event) => onchange(event.target.value) }, ...items);
}

export function report(text) {
  document.getElementById("alert").textContent = text;
}

/** The title of the page: what it shows now, and the game. */
export function setTitle(text, game = word("home")) {
  document.title = `${text.charAt(0).toLocaleUpperCase(document.documentElement.lang)}${text.slice(1)} – ${game}`;
}

/** Show, in place of a table or a replay, why there is none. */
export function showNothing(main, text) {
  setTitle(text);
  main.replaceChildren(element("section", { class: "panel nothing", role: "alert" }, element("h1", {}, text),
    element("p", {}, element("a", { class: "button", href: "#/" }, word("new_table")))));
}

/** The address of the page without what follows `#`: that of a proxy, perhaps with a path. */
export function pageAddress() {
  return location.origin + location.pathname.replace(/\/[^/]*$/, "");
}

/** The data of an answer; an Error with the server's message otherwise, and with what else it says. */
export async function request(path, options = {}) {
  let answer;
  try {
    answer = await fetch(path, options);
  } catch {
    throw new Error(words.no_server ?? "The server does not answer.");
  }
  const data = await answer.json().catch(() => ({}));
  if (!answer.ok) throw Object.assign(new Error(data.error ?? `${answer.status} ${answer.statusText}`), data);
  return data;
}

const narrow = matchMedia("(max-width: 1019px)") // a wide picture has legible text from here on;

/** The layout of the pictures: that of a phone, or of a wide screen. */
export function form() {
  return narrow.matches ? "narrow" : "wide";
}

/** Call a function when the layout changes: a phone was turned. */
export function onTurned(act) {
  narrow.addEventListener("change", act);
}

const LONGEST = 7; // letters of a name in a narrow column

/** A name at the head of a column: initials stand for a long one where there is little room, as on a phone. */
export function columnName(name, isTight = narrow.matches) {
  if (!isTight || name.length <= LONGEST) return element("span", {}, name);
  const words = name.split(/[\s-]+/).filter(Boolean);
  const short = words.length > 1 ? words.map((word) => [...word][0]).join("") : `${[...name].slice(0, LONGEST - 2).join("")}.`;
  return element("abbr", { title: name }, short);
}

const ICONS = { // shapes in a square of 24
  play: "M7 4v16l13-8z", pause: "M6 4h4v16H6zM14 4h4v16h-4z", forward: "M8 4v16l11-8z", back: "M16 4v16L5 12z",
  lot_next: "M4 5v14l8-7zM12 5v14l8-7z", lot_before: "M20 5v14l-8-7zM12 5v14l-8-7z",
  last: "M5 4v16l11-8zM17 4h3v16h-3z", first: "M19 4v16L8 12zM4 4h3v16H4z",
};

/** A sign on a button. */
export function icon(name) {
  const made = element("span", { "aria-hidden": "true" });
  made.innerHTML = `<svg viewBox="0 0 24 24" width="20" height="20"><path fill="currentColor" d="${ICONS[name]}"/></svg>`;
  return made.firstChild;
}

let keyboard = false; // the last thing that was done
document.addEventListener("keydown", () => { keyboard = true; }, { capture: true });
document.addEventListener("pointerdown", () => { keyboard = false; }, { capture: true });

let entered = null; // what is typed into a number field takes the place of its number, but for a second click in it
document.addEventListener("focusin", ({ target }) => {
  entered = target;
  if (target.type === "number") target.select();
});
document.addEventListener("click", ({ target }) => {
  if (target === entered && target.type === "number") target.select();
  entered = null;
});

/** Whether the visitor uses the keyboard: then the focus is kept where it was, and shown. */
export const byKeyboard = () => keyboard;

export function stored(key, fallback) {
  try {
    return JSON.parse(localStorage.getItem(`w51.${key}`)) ?? fallback;
  } catch {
    return fallback;
  }
}

export function store(key, value) {
  try {
    localStorage.setItem(`w51.${key}`, JSON.stringify(value));
  } catch {
    // private windows may refuse; the page works without
  }
}
