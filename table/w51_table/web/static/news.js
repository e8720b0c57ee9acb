// The list of events.

import { element, word } from "./dom.js";

const MAX_LINES = 400;

/** A box with a list of events, and `add(message)`, which appends those of a state; each lot begins a new part. */
export function newsBox() {
  const list = element("ol");
  const box = element("div", { class: "log", role: "log", "aria-live": "polite", tabindex: "0", "aria-label": word("news") }, list);
  return { box, add };

  function add(message) {
    if (message.new) list.replaceChildren();
    list.append(...message.news.map((line, index) => element("li", { class: message.lots.includes(index) ? "lot" : "" }, line)));
    while (list.childElementCount > MAX_LINES) list.firstChild.remove();
    box.scrollTop = box.scrollHeight;
    box.classList.toggle("long", box.scrollHeight > box.clientHeight);
  }
}
