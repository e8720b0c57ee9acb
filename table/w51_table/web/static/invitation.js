// The link with which others choose a seat of a table, as a code for phones.

import { read } from "./api.js";
import { copyButton, element, report } from "./dom.js";
import { word } from "./words.js";

/** Open the window with the link; `token` is that of the own seat, `address` the one of the page that others can open.
 * @param {string} name of the table @param {string} token @param {string} address */
export async function openInvitation(name, token, address) {
  let found;
  try {
    found = await read("tables/{name}/invitation", { name, query: { address }, token });
  } catch (error) {
    report(error.message);
    return;
  }
  const code = element("div", { class: "code" });
  code.innerHTML = found.qr;
  const close = element("button", { class: "close", "aria-label": word("close") }, "×");
  const dialog = element("dialog",
    { class: "invitation", "aria-label": word("invite"), onclose: () => dialog.remove() },
    element("form", { method: "dialog" }, close), element("h2", {}, word("invite")),
    element("p", {}, word("invite_about")), code, copyButton(found.link, word("invite_link"), "invitation"));
  document.body.append(dialog);
  dialog.showModal();
}

/** What everybody is told of a seed that somebody typed; empty for any other game.
 * @param {{seed: string | null, over?: boolean}} table */
export function typedSeed({ seed, over = false }) {
  return seed === null || over ? "" : word("seed_typed", { seed });
}
