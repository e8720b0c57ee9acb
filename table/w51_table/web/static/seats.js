// Who sits at a table, with the links of those who play by link.

import { button, copyButton, element } from "./dom.js";
import { remembered } from "./tables.js";
import { agentName, word } from "./words.js";

/**
 * What a page knows of its table: its name, and the address of the page that others can open; `standIn(seat, on)` lets
 * a bot play the seat of somebody who is away, or no longer; `invite()` shows the link with which others choose a seat.
 * @typedef {{name: string, address: string, standIn: (seat: number, on: boolean) => void, invite: () => void}} Place
 */

/** Show the seats of a state. @param {HTMLElement} list @param {Server.State} state @param {Place} place */
export function showSeats(list, state, place) {
  const focused = document.activeElement instanceof HTMLElement ? document.activeElement.dataset.copy : undefined;
  const watchLink = copyButton(`${place.address}/#/table/${place.name}/public`, word("watch_link"), "public");
  list.replaceChildren(...state.seats.map((_, index) => seatItem(state, index, place)),
    element("li", {}, invites(state, place.invite), watchLink));
  const again = focused === undefined ? null : list.querySelector(`[data-copy="${focused}"]`);
  if (again instanceof HTMLElement) again.focus();
}

/** @param {Server.State} state @param {number} index @param {Place} place */
function seatItem(state, index, { name, address, standIn }) {
  const seat = state.seats[index];
  const isOwn = index === state.seat;
  const link = remembered(name)?.tokens[index];
  const item = element("li", { class: index === state.turn ? "turn" : "" }, element("span", {}, seat.name));
  const note = noteOf(seat, isOwn);
  if (note) item.append(" ", element("small", {}, note));
  if (seat.person && !isOwn && link && !seat.taken) {
    item.append(" ", copyButton(`${address}/#/table/${name}/${link}`, word("link_for", { name: seat.name }), index));
  }
  if (isOwn && state.windows > 1) item.append(element("br"), element("small", { role: "status" }, word("two_windows")));
  if (state.seat !== null && !state.over && seat.person && !seat.here && !isOwn) {
    item.append(" ", button(word(seat.stand_in ? "bot_stops" : "let_bot_play"), () => standIn(index, !seat.stand_in),
      { class: "quiet", "data-bot": index }));
  }
  return item;
}

/** Who it is; empty if there is nothing to say. @param {Server.PresentSeat} seat @param {boolean} isOwn */
function noteOf(seat, isOwn) {
  if (isOwn) return word("you");
  if (seat.person) return word(seat.here ? "here" : seat.stand_in ? "bot_plays" : "away");
  return seat.agent && agentName(seat.agent);
}

/** The button for an invitation, if somebody may still come; else nothing. @param {Server.State} state
 * @param {() => void} invite */
function invites(state, invite) {
  const isOpen = state.seat !== null && !state.over && state.seats.some((seat) => seat.person && !seat.taken);
  return isOpen ? button(word("invite"), invite, { class: "quiet", id: "invite", "data-copy": "invite" }) : null;
}
