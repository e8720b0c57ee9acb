// The controls of the legal actions: a button for each, or a slider for those that differ by a number.

import { element, word } from "./dom.js";

/** Elements for `actions` as the server groups them; `choose` is called with the id of the chosen action. */
export function actionPanel(actions, choose) {
  let done = false;
  const once = (action) => {
    if (done) return;
    done = true;
    choose(action);
  };
  return actions.map((action) => (action.choices ? slider(action, once) : button(action, once)));
}

function button(action, choose) {
  return element("button", { type: "button", "data-kind": action.kind, "data-action": action.id,
    onclick: () => choose(action.id) }, action.text);
}

function slider({ kind, choices }, choose) {
  const last = choices.length - 1;
  const input = element("input", { type: "range", min: 0, max: last, value: 0, step: 1, "aria-label": word("amount"),
    oninput: show });
  const submit = element("button", { type: "submit", class: "primary", "data-kind": kind });
  const less = element("button", { type: "button", class: "step", "aria-label": word("less"), onclick: () => move(-1) }, "−");
  const more = element("button", { type: "button", class: "step", "aria-label": word("more"), onclick: () => move(1) }, "+");
  const form = element("form", { class: "amount", "data-kind": kind, onsubmit: (event) => {
    event.preventDefault();
    choose(choices[input.value][1]);
  } }, less, input, more, submit);
  show();
  return form;

  function move(by) {
    input.value = Math.max(0, Math.min(last, Number(input.value) + by));
    show();
  }

  function show() {
    const [, action, text] = choices[input.value];
    submit.textContent = text;
    submit.dataset.action = action;
    input.setAttribute("aria-valuetext", text);
    less.disabled = Number(input.value) === 0;
    more.disabled = Number(input.value) === last;
  }
}
