// The list of events.

import { element } from "./dom.js";
import { linesOf } from "./staged.js";
import { word } from "./words.js";

const MAX_LINES = 400;

/** A box with a list of events. */
export class NewsBox {
  list = element("ol");
  box = element("div", { class: "log", role: "log", "aria-live": "polite", tabindex: "0", "aria-label": word("news") },
    this.list);

  /** Append the events of a state; each lot begins a new part.
   * @param {Pick<Server.State, "new" | "news" | "lots" | "raises">} state */
  add(state) {
    const { list, box } = this;
    if (state.new) list.replaceChildren();
    list.append(...linesOf(state).map(({ text, isLot }) => element("li", { class: isLot ? "lot" : "" }, text)));
    while (list.childElementCount > MAX_LINES) list.firstChild?.remove();
    requestAnimationFrame(() => { // sizes are known then; to ask for them now would delay the picture
      box.scrollTop = box.scrollHeight;
      box.classList.toggle("long", box.scrollHeight > box.clientHeight);
    });
  }
}
