// The controls of the legal actions: a button for each, and one control for all bids.

import { element, stored, word } from "./dom.js";

/**
 * Elements for `groups` as the server groups the actions. `choose(action, rest)` is called with the id of the chosen
 * action; `rest` is the whole bid if this action is its first part only.
 */
export function actionPanel(groups, choose) {
  let done = false;
  const once = (action, rest) => {
    if (done) return;
    done = true;
    choose(action, rest);
  };
  const numbers = groups.filter((group) => group.choices);
  const single = groups.filter((group) => !group.choices).map((group) => button(group, once));
  return numbers.length ? [bids(numbers, once), ...single] : single;
}

function button(action, choose) {
  const made = element("button", { type: "button", "data-kind": action.kind, "data-action": action.id,
    onclick: () => (action.confirm && asksAgain() ? confirm(made, action.text, () => choose(action.id)) : choose(action.id)) },
  action.text);
  return made;
}

export function asksAgain() {
  return stored("confirm", true);
}

/** Ask again in place of a control. */
function confirm(control, text, act) {
  const row = element("span", { class: "confirm", role: "group", "aria-label": text },
    element("button", { type: "button", class: "primary", "data-confirm": "yes", onclick: act }, word("confirm_yes", { action: text })),
    element("button", { type: "button", "data-confirm": "no", onclick: () => {
      row.replaceWith(control);
      (control.matches("button") ? control : control.querySelector("input")).focus();
    } }, word("confirm_no")));
  control.replaceWith(row);
  row.firstChild.focus();
}

/** A field for the amount with chips. In some games a high bid takes two actions; the control is one. */
function bids(groups, choose) {
  const [own, first] = [...groups].sort((a, b) => a.choices[0][0] - b.choices[0][0]);
  const whole = new Map(own.choices.map(([amount, id, text]) => [amount, [id, text]]));
  const amounts = own.choices.map(([amount]) => amount);
  const least = amounts[0];
  const step = amounts.length > 1 ? amounts[1] - amounts[0] : 1;
  const most = Math.max(...groups.map((group) => group.most));
  const input = element("input", { type: "number", min: least, max: most, step, value: least, inputmode: "numeric",
    "aria-label": word("amount"), oninput: show });
  const submit = element("button", { type: "submit", class: "primary", "data-kind": own.kind });
  const chip = (text, change) => element("button", { type: "button", class: "chip", onclick: () => {
    input.value = Math.max(least, Math.min(most, change(Number(input.value) || 0)));
    show();
  } }, text);
  const plus = (count) => chip(`+${(count * step).toLocaleString(document.documentElement.lang)}`, (now) => now + count * step);
  const made = element("form", { class: "amount", "data-kind": own.kind, novalidate: true, onsubmit: (event) => {
    event.preventDefault();
    const [action, rest] = chosen() ?? [];
    if (action === undefined) return;
    const act = () => choose(action, rest);
    if (Number(input.value) > own.high && asksAgain()) confirm(made, submit.textContent, act);
    else act();
  } }, input, chip(word("least"), () => least), plus(1), plus(5), chip(word("all_money"), () => most), submit);
  show();
  return made;

  /** [action, amount that is left to bid] for the amount in the field; undefined if it is not possible. */
  function chosen() {
    const amount = Number(input.value);
    if (whole.has(amount)) return [whole.get(amount)[0]];
    const part = first?.choices.findLast(([reached]) => reached < amount);
    return part && amount <= most && (amount - least) % step === 0 ? [part[1], amount] : undefined;
  }

  function show() {
    const found = chosen();
    submit.disabled = found === undefined;
    const amount = Number(input.value);
    submit.textContent = whole.get(amount)?.[1]
      ?? own.choices[0][2].replace(/\d[\d.,\u00a0]*/, amount.toLocaleString(document.documentElement.lang));
    if (found) submit.dataset.action = found[0];
  }
}
