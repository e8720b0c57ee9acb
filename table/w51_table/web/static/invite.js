// The page on which a guest with an invitation chooses a seat.

import { change, read } from "./api.js";
import { button, element, report, setTitle, showNothing } from "./dom.js";
import { typedSeed } from "./invitation.js";
import { agentName, titled, word } from "./words.js";

/** The page of an invitation; `token` is the secret of its link. @param {HTMLElement} main @param {Server.Offer} offer
 * @param {string} name of the table @param {string} token */
export function showInvite(main, { language }, name, token) {
  const panel = element("section", { class: "panel nothing" }, element("p", {}, word("loading")));
  main.append(panel);
  setTitle(word("invited"));
  load();

  async function load() {
    let found;
    try {
      found = await read("invitations/{name}", { name, query: { language }, token });
    } catch {
      showNothing(main, word("no_table"));
      return;
    }
    const isFree = found.seats.some((seat) => seat.free);
    panel.replaceChildren(element("h1", {}, titled(word("invited"), found.title)),
      element("p", {}, word(isFree ? "choose_seat" : "no_seat")),
      element("p", { class: "seed" }, typedSeed(found)),
      element("ul", { class: "choice" }, ...found.seats.map(seatOf)),
      element("p", {}, element("a", { class: "button", href: `#/table/${name}/public` }, word("only_watch"))));
    setTitle(word("invited"), found.title);
  }

  /** @param {Server.InvitedSeat} seat @param {number} index */
  function seatOf(seat, index) {
    if (seat.free) {
      return element("li", {}, button(word("sit_down", { name: seat.name }), () => take(index),
        { class: "primary", "data-seat": index }));
    }
    const holder = seat.person ? word("seat_is_taken") : agentName(seat.agent);
    return element("li", {}, seat.name, " ", element("small", {}, holder));
  }

  /** @param {number} seat */
  async function take(seat) {
    try {
      const taken = await change("invitations/{name}/{seat}", { name, seat, query: { language }, token });
      location.hash = `#/table/${name}/${taken.token}`;
    } catch (error) {
      report(error.message);
      load();
    }
  }
}
