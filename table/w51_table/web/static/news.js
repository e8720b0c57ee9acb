// The list of events.

import { element } from "./dom.js";
import { word } from "./words.js";

const MAX_LINES = 400;

/** A box with a list of events. */
export class NewsBox {
  list = element("ol");
  box = element("div", { class: "log", role: "log", "aria-live": "polite", tabindex: "0", "aria-label": word("news") },
    this.list);

  /** Append the events of a state; each lot begins a new part.
   * @param {Pick<Server.State, "new" | "news" | "lots">} state */
  add({ new: isNew, news, lots }) {
    const { list, box } = this;
    if (isNew) list.replaceChildren();
    list.append(...news.map((line, index) => element("li", { class: lots.includes(index) ? "lot" : "" }, line)));
    while (list.childElementCount > MAX_LINES) list.firstChild?.remove();
    box.scrollTop = box.scrollHeight;
    box.classList.toggle("long", box.scrollHeight > box.clientHeight);
  }
}
