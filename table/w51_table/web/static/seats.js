// Who sits at a table, with the links of those who play by link.

import { element, word } from "./dom.js";
import { agentName } from "./form.js";
import { remembered } from "./tables.js";

/**
 * Show the seats of a state in `list`; `name` is that of the table. `standIn(seat, on)` lets a bot play the seat of
 * somebody who is away, or no longer; `invite()` shows the link with which others choose a seat.
 */
export function showSeats(list, message, name, address, { standIn, invite }) {
  const links = remembered(name)?.tokens ?? [];
  const focused = document.activeElement?.dataset?.copy;
  list.replaceChildren(...message.seats.map((seat, index) => {
    const item = element("li", { class: index === message.turn ? "turn" : "" }, element("span", {}, seat.name));
    const notes = [];
    if (index === message.seat) notes.push(word("you"));
    else if (seat.person) notes.push(word(seat.here ? "here" : seat.stand_in ? "bot_plays" : "away"));
    else if (seat.agent) notes.push(agentName(seat.agent));
    if (notes.length) item.append(" ", element("small", {}, notes.join(", ")));
    if (seat.person && index !== message.seat && links[index] && !seat.taken) {
      item.append(" ", copyButton(`${address}/#/table/${name}/${links[index]}`, word("link_for", { name: seat.name }), index));
    }
    if (index === message.seat && message.windows > 1) item.append(element("br"), element("small", { role: "status" }, word("two_windows")));
    if (message.seat !== null && !message.over && seat.person && !seat.here && index !== message.seat) {
      item.append(" ", element("button", { type: "button", class: "quiet", "data-bot": index, onclick: () => standIn(index, !seat.stand_in) },
        word(seat.stand_in ? "bot_stops" : "let_bot_play")));
    }
    return item;
  }), element("li", {}, invites(message, invite), copyButton(`${address}/#/table/${name}/public`, word("watch_link"), "public")));
  if (focused !== undefined) list.querySelector(`[data-copy="${focused}"]`)?.focus();
}

/** The button for an invitation, if somebody may still come; else nothing. */
function invites(message, invite) {
  const isOpen = message.seat !== null && !message.over && message.seats.some((seat) => seat.person && !seat.taken);
  return isOpen ? element("button", { type: "button", class: "quiet", id: "invite", "data-copy": "invite", onclick: invite }, word("invite")) : null;
}

/** A button that copies a link. */
export function copyButton(link, label, id) {
  return element("button", { type: "button", class: "quiet", "data-copy": id, title: link,
    onclick: async (event) => {
      try {
        await navigator.clipboard.writeText(link);
        event.target.textContent = word("copied");
      } catch {
        prompt(label, link);
      }
    } }, label);
}
