// An invitation to a table: its link as a code for phones, and the page on which a guest chooses a seat.

import { element, report, request, setTitle, showNothing, word } from "./dom.js";
import { agentName } from "./form.js";
import { copyButton } from "./seats.js";

/** Open the window with the link with which others choose a seat of the table `name`; `token` is that of the own seat,
 * `address` the one of the page that others can open. */
export async function openInvitation(name, token, address) {
  let found;
  try {
    found = await request(`api/tables/${name}/invitation?address=${encodeURIComponent(address)}`, { headers: { authorization: `Bearer ${token}` } });
  } catch (error) {
    report(error.message);
    return;
  }
  const code = element("div", { class: "code" });
  code.innerHTML = found.qr;
  const dialog = element("dialog", { class: "invitation", "aria-label": word("invite"), onclose: () => dialog.remove() },
    element("form", { method: "dialog" }, element("button", { class: "close", "aria-label": word("close") }, "×")),
    element("h2", {}, word("invite")), element("p", {}, word("invite_about")), code, copyButton(found.link, word("invite_link"), "invitation"));
  document.body.append(dialog);
  dialog.showModal();
}

/** What everybody is told of a seed that somebody typed; empty for any other game. */
export function typedSeed({ seed, over = false }) {
  return seed === null || over ? "" : word("seed_typed", { seed });
}

/** The page of an invitation; `secret` is that of its link. */
export function showInvite(main, offer, name, secret) {
  const headers = { authorization: `Bearer ${secret}` };
  const panel = element("section", { class: "panel nothing" }, element("p", {}, word("loading")));
  main.append(panel);
  setTitle(word("invited"));
  load();

  async function load() {
    let found;
    try {
      found = await request(`api/invitations/${name}?language=${offer.language}`, { headers });
    } catch {
      showNothing(main, word("no_table"));
      return;
    }
    const free = found.seats.some((seat) => seat.free);
    panel.replaceChildren(element("h1", {}, `${word("invited")}: ${found.title}`), element("p", {}, word(free ? "choose_seat" : "no_seat")),
      element("p", { class: "seed" }, typedSeed(found)),
      element("ul", { class: "choice" }, ...found.seats.map(seatOf)),
      element("p", {}, element("a", { class: "button", href: `#/table/${name}/public` }, word("only_watch"))));
    setTitle(word("invited"), found.title);
  }

  function seatOf(seat, index) {
    if (seat.free) {
      return element("li", {}, element("button", { type: "button", class: "primary", "data-seat": index, onclick: () => take(index) },
        word("sit_down", { name: seat.name })));
    }
    return element("li", {}, seat.name, " ", element("small", {}, seat.person ? word("seat_is_taken") : agentName(seat.agent)));
  }

  async function take(index) {
    try {
      const { token } = await request(`api/invitations/${name}/${index}?language=${offer.language}`, { method: "POST", headers });
      location.hash = `#/table/${name}/${token}`;
    } catch (error) {
      report(error.message);
      load();
    }
  }
}
