// Fields that the forms of positions of both games have.

import { element, labelled } from "./dom.js";

/** Buttons that say what a tap means. */
export function brushButtons(brushes, chosen, choose) {
  return element("div", { class: "brushes" }, ...brushes.map(([id, text]) => element("button", { type: "button", id: `brush-${id}`,
    "aria-pressed": String(id === chosen), onclick: () => choose(id) }, text)));
}

/** A field for a number, with its names in a position, so that a mistake is said there; `set` takes what is entered. */
export function numberField(label, id, value, names, set) {
  return labelled(label, element("input", { type: "number", inputmode: "numeric", min: 0, id, value, "data-field": names,
    oninput: (event) => set(event.target.valueAsNumber || 0) }));
}

/** A field for a number of each seat; `values` is changed. */
export function numberFields(name, values, label) {
  return values.map((value, seat) => numberField(label(seat), `${name}${seat}`, value, `${name}[${seat}] ${name}`, (entered) => { values[seat] = entered; }));
}

/** The standing bid, which `label` names, who made it, who bids next, and who has passed. */
export function bidFields({ names, found, chosen, draw }, label, say) {
  const seats = names.map((name, seat) => [String(seat), name]);
  const leader = chosen("leader", [["null", "–"], ...seats], say("leader"));
  leader.control.disabled = !found.bid;
  return [element("div", { class: "row" },
    numberField(label, "standing", found.bid, "bid", (entered) => {
      found.bid = entered;
      leader.control.disabled = !entered;
      if (!entered) leader.control.value = found.leader = null;
    }),
    leader,
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
