// Fields that the forms of positions of both games have.

import { element, labelled } from "./dom.js";

/** Buttons that say what a tap means. */
export function brushButtons(brushes, chosen, choose) {
  return element("div", { class: "brushes" }, ...brushes.map(([id, text]) => element("button", { type: "button", id: `brush-${id}`,
    "aria-pressed": String(id === chosen), onclick: () => choose(id) }, text)));
}

/** A field for a number of each seat; `values` is changed. */
export function numberFields(name, values, label) {
  return values.map((value, seat) => labelled(label(seat), element("input", { type: "number", inputmode: "numeric", min: 0,
    id: `${name}${seat}`, value, oninput: (event) => { values[seat] = event.target.valueAsNumber || 0; } })));
}

/** The standing bid, which `label` names, who made it, who bids next, and who has passed. */
export function bidFields({ names, found, chosen, later, draw }, label, say) {
  const seats = names.map((name, seat) => [String(seat), name]);
  return [element("div", { class: "row" },
    labelled(label, element("input", { type: "number", inputmode: "numeric", min: 0, id: "standing", value: found.bid,
      onchange: (event) => { found.bid = event.target.valueAsNumber || 0; if (!found.bid) found.leader = null; later(); } })),
    found.bid ? chosen("leader", [["null", "–"], ...seats], say("leader")) : "",
    chosen("to_move", [["null", say("next_one")], ...seats], say("to_move"))),
  element("fieldset", {}, element("legend", {}, say("passed")), element("div", { class: "row" }, ...names.map((name, seat) =>
    element("label", { class: "check" }, element("input", { type: "checkbox", checked: found.passed.includes(seat), onchange: (event) => {
      found.passed = found.passed.filter((one) => one !== seat).concat(event.target.checked ? [seat] : []);
      draw();
    } }), name))))];
}

/** The seat that bids next: the first that has not passed, after the one who leads, else from a seat on. */
export function nextOne({ count, found }, from) {
  const first = found.leader === null ? from : found.leader + 1;
  const order = Array.from({ length: count }, (_, step) => (first + step) % count);
  return order.find((seat) => !found.passed.includes(seat)) ?? from % count;
}
