// Who sits at a table, with the links of those who play by link.

import { element, stored, word } from "./dom.js";
import { agentName } from "./form.js";

/** Show the seats of a state in `list`; `name` is that of the table. */
export function showSeats(list, message, name, address) {
  const links = stored("tables", []).find((kept) => kept.table === name)?.tokens ?? [];
  const focused = document.activeElement?.dataset?.copy;
  list.replaceChildren(...message.seats.map((seat, index) => {
    const item = element("li", { class: index === message.turn ? "turn" : "" }, element("span", {}, seat.name));
    const notes = [];
    if (index === message.seat) notes.push(word("you"));
    else if (seat.person) notes.push(word(seat.here ? "here" : "away"));
    else if (seat.agent) notes.push(agentName(seat.agent));
    if (notes.length) item.append(" ", element("small", {}, notes.join(", ")));
    if (seat.person && index !== message.seat && links[index]) {
      item.append(" ", copyButton(`${address}/#/table/${name}/${links[index]}`, word("link_for", { name: seat.name }), index));
    }
    return item;
  }), element("li", {}, copyButton(`${address}/#/table/${name}/public`, word("watch_link"), "public")));
  if (focused !== undefined) list.querySelector(`[data-copy="${focused}"]`)?.focus();
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
