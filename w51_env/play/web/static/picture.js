// The picture as an interface: cards that show what they are, and areas that stand for actions.

import { element, word } from "./dom.js";

const shown = new WeakMap(); // for each place the picture that was wanted last

/** Unpack a picture that the server drew, and put it into an element; true if it is there now. */
export async function showPicture(place, packed) {
  if (shown.get(place) === packed) return false;
  shown.set(place, packed);
  if (!packed) { // it was too long to be sent
    place.replaceChildren();
    return true;
  }
  const bytes = Uint8Array.from(atob(packed), (letter) => letter.charCodeAt(0));
  const svg = await new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"))).text();
  if (shown.get(place) !== packed) return false;
  const before = positions(place);
  const focused = keyOf(place.contains(document.activeElement) ? document.activeElement : null);
  place.innerHTML = svg;
  prepare(place, focused);
  move(place, before);
  return true;
}

const MOTION = 250; // milliseconds

/** Where each card is by its name; the counterfeit cards between the seats show relics, too, and never move. */
function positions(place) {
  const cards = [...place.querySelectorAll("[data-card]")].filter((card) => !card.closest('[data-part^="gap:"]'));
  return new Map(cards.map((card) => [card.querySelector("title").textContent.split("\n")[0], card]
    ).map(([name, card]) => [name, { card, box: card.getBoundingClientRect() }]));
}

/** Cards glide from where they were to where they are; new ones appear. Nothing moves where less motion is wanted. */
function move(place, before) {
  if (!before.size || matchMedia("(prefers-reduced-motion: reduce)").matches) return;
  for (const [name, { card, box }] of positions(place)) {
    const old = before.get(name)?.box;
    const scale = card.getScreenCTM().a;
    if (!old) card.animate([{ opacity: 0 }, { opacity: 1 }], MOTION);
    else if (Math.hypot(old.x - box.x, old.y - box.y) > 2) {
      const from = `translate(${(old.x - box.x) / scale}px, ${(old.y - box.y) / scale}px) scale(${old.width / box.width})`;
      card.animate([{ transform: from }, { transform: "none" }], { duration: MOTION, easing: "ease-out" });
    }
  }
}

const keyOf = (part) => part?.dataset?.part ?? part?.querySelector?.("title")?.textContent;
const partsOf = (place) => [...place.querySelectorAll("[data-card], [data-part].open")];

/** Cards and open areas become buttons; one of them can be reached with Tab, the others with the arrow keys. */
function prepare(place, focused) {
  place.querySelector("svg").setAttribute("role", "group");
  for (const card of place.querySelectorAll("[data-card]")) {
    card.setAttribute("role", "button");
    card.setAttribute("aria-label", card.querySelector("title").textContent.replaceAll("\n", ", "));
    card.setAttribute("tabindex", -1);
  }
  rove(place, partsOf(place).find((part) => keyOf(part) === focused), focused !== undefined && focused !== null);
}

function rove(place, wanted, focus = false) {
  const parts = partsOf(place);
  const chosen = wanted ?? parts[0];
  for (const part of parts) part.setAttribute("tabindex", part === chosen ? 0 : -1);
  if (focus) chosen?.focus({ preventScroll: true });
}

/** Mark the areas that stand for actions of `groups`, as the server groups them. */
export function openAreas(place, groups) {
  const open = new Map();
  for (const group of groups) {
    const part = group.part ?? "lot";
    open.set(part, [...(open.get(part) ?? []), group]);
  }
  for (const area of place.querySelectorAll("[data-part]")) {
    const own = open.get(area.dataset.part);
    area.classList.toggle("open", own !== undefined);
    if (area.dataset.card !== undefined) continue;
    if (own) {
      area.setAttribute("role", "button");
      area.setAttribute("aria-label", own.map((group) => group.text ?? word("amount")).join(", "));
    } else for (const name of ["role", "aria-label", "tabindex"]) area.removeAttribute(name);
  }
  rove(place, place.querySelector("[tabindex='0']"));
}

/** Call `act(part, text)` for a part that is clicked, tapped, or chosen by a key; `text` is what its card says. */
export function onPart(place, act) {
  const chosen = (event) => {
    const part = event.target.closest?.("[data-card], [data-part].open");
    if (part) act(part, part.dataset.card === undefined ? "" : part.querySelector("title").textContent);
    return part;
  };
  place.addEventListener("click", chosen);
  place.addEventListener("keydown", (event) => {
    const steps = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };
    if (event.key === "Enter" || event.key === " ") {
      if (!chosen(event)) return;
    } else if (event.key in steps) {
      const parts = partsOf(place);
      const now = parts.indexOf(event.target.closest("[tabindex]"));
      rove(place, parts[(now + steps[event.key] + parts.length) % parts.length], true);
    } else return;
    event.preventDefault();
    event.stopPropagation();
  });
}

/** A window beside a part of the picture: what its card says, and controls; it closes with Escape or a click outside. */
export function showPanel(part, text, controls) {
  closePanel();
  const [title, ...lines] = text ? text.split("\n") : [word("your_actions")];
  const panel = element("div", { class: "panel popup", role: "dialog", "aria-label": title, tabindex: -1 },
    element("h2", {}, title), ...lines.map((line) => element("p", {}, line)), ...controls,
    element("button", { type: "button", class: "close", "aria-label": word("close"), onclick: () => closePanel(true) }, "×"));
  document.body.append(panel);
  place(panel, part.getBoundingClientRect());
  panel.back = part;
  (panel.querySelector("input, button:not(.close)") ?? panel).focus({ preventScroll: true });
}

function place(panel, beside) {
  const { width, height } = panel.getBoundingClientRect();
  const left = beside.right + 8 + width < innerWidth ? beside.right + 8 : beside.left - 8 - width;
  const top = Math.min(Math.max(8, beside.top), innerHeight - height - 8);
  panel.style.left = `${scrollX + Math.max(8, Math.min(left, innerWidth - width - 8))}px`;
  panel.style.top = `${scrollY + Math.max(8, top)}px`;
}

export function closePanel(goBack = false) {
  const panel = document.querySelector(".popup");
  if (!panel) return;
  if (goBack && panel.back.isConnected) panel.back.focus({ preventScroll: true });
  panel.remove();
}

document.addEventListener("keydown", (event) => {
  if (event.key === "Escape") closePanel(true);
});
document.addEventListener("pointerdown", (event) => {
  if (!event.target.closest(".popup, .picture")) closePanel();
});
