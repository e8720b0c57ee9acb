// The controls of the legal actions: a button for each, and one control for all bids.

import { element, has, stored, word } from "./dom.js";

const FEW = 2; // bids that are buttons, and no field
const TWICE = 2; // times the own bids so far: a higher one is unusual

/**
 * Elements for `groups` as the server groups the actions. `choose(action, {rest, amount})` is called with the id of the
 * chosen action and, of a bid, its amount; `rest` is the whole bid if this action is its first part only. In an open
 * auction `order(amount)` is called for a bid up to an amount. `usual` is the highest own bid so far; `advised()`
 * promises the bid that the coach would make.
 */
export function actionPanel(groups, choose, { order = null, usual = 0, advised = async () => 0 } = {}) {
  let done = false;
  const once = (act) => (...given) => {
    if (done) return;
    done = true;
    act(...given);
  };
  const isOpen = groups.some((group) => group.kind === "pass");
  let numbers = groups.filter((group) => group.choices);
  let single = groups.filter((group) => !group.choices);
  const few = isOpen && order ? single.filter((group) => group.number !== null && group.kind !== "pass") : [];
  if (few.length > FEW) {
    const choices = few.map((group) => [group.number, group.id, group.text]);
    numbers = [{ kind: few[0].kind, choices, most: choices.at(-1)[0] }];
    single = single.filter((group) => !few.includes(group));
  }
  const most = few.length > 1 ? Math.max(...few.map((one) => one.number)) : Infinity; // the only bid is not asked about
  const check = (amount, all, ask, act) => ifUnusual(amount, all, { usual, advised }, ask, act);
  const buttons = single.map((group) => button(group, once(choose), most, check));
  return numbers.length ? [bids(numbers, once(choose), isOpen && order ? once(order) : null, check), ...buttons] : buttons;
}

function button(action, choose, most, check) {
  const act = () => choose(action.id, { amount: action.number ?? 0 });
  const made = element("button", { type: "button", "data-kind": action.kind, "data-action": action.id,
    onclick: () => check(action.number, most, (question) => confirm(made, question, action.text, act), act) }, action.text);
  return made;
}

/** Ask about a bid of all that one has, and about one far above one's own bids so far and above what the coach would bid. */
function ifUnusual(amount, most, { usual, advised }, ask, act) {
  if (!asksAgain() || amount <= 1) act();
  else if (amount === most) ask("ask_all");
  else if (amount > TWICE * usual && 2 * amount > most) advised().then((bid) => (amount > bid ? ask("ask_high") : act()));
  else act();
}

export function asksAgain() {
  return stored("confirm", true);
}

/** Ask a question in place of a control. */
function confirm(control, question, text, act) {
  const yes = element("button", { type: "button", class: "primary", "data-confirm": "yes", onclick: act }, word("confirm_yes", { action: text }));
  const row = element("span", { class: "confirm", role: "group", "aria-label": word(question) }, element("b", {}, word(question)), yes,
    element("button", { type: "button", "data-confirm": "no", onclick: () => {
      row.replaceWith(control);
      (control.matches("button") ? control : control.querySelector("input")).focus();
    } }, word("confirm_no")));
  control.replaceWith(row);
  yes.focus();
}

/** A field for the amount with chips. In some games a high bid takes two actions; the control is one. */
function bids(groups, choose, order, check) {
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
    ask(submit.textContent, () => choose(action, { rest, amount: Number(input.value) }));
  } }, input, chip(word("least"), () => least), plus(1), plus(5), chip(word("all_money"), () => most), submit);
  const upTo = order && element("button", { type: "button", id: "up-to", title: word("up_to_about"),
    onclick: () => ask(upTo.textContent, () => order(Number(input.value))) });
  if (upTo) made.append(upTo);
  show();
  return made;

  function ask(text, act) {
    check(most > least ? Number(input.value) : 0, most, (question) => confirm(made, question, text, act), act);
  }

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
    const said = (number) => number.toLocaleString(document.documentElement.lang);
    submit.textContent = found ? whole.get(amount)?.[1] ?? own.choices[0][2].replace(/\d[\d.,\u00a0]*/, said(amount))
      : word("bid_range", { least: said(least), most: said(most) });
    if (found) submit.dataset.action = found[0];
    if (!upTo) return;
    upTo.disabled = found === undefined;
    upTo.textContent = word("up_to", { amount: said(amount) });
  }
}

/**
 * What glows in the picture needs no button among `actions`, where there is little room; a sentence says what a tap
 * does. `places` are the picture and what is below the fold, which `find(part)` shows.
 */
export function leaveToPicture(actions, groups, places, find) {
  const [here, below] = places.map((place) => [...place?.querySelectorAll(".open") ?? []].map((area) => area.dataset.part));
  const left = groups.filter(({ part }) => part && part !== "lot" && [...here, ...below].includes(part));
  for (const { id } of left) actions.querySelector(`:scope > [data-action="${id}"]`)?.remove();
  if (!left.length || actions.querySelector(".tap")) return;
  const hidden = left.find(({ part }) => !here.includes(part));
  const kinds = [...new Set(left.map(({ kind }) => (has(`tap.${kind}`) ? kind : "other")))].sort((one, other) => (one === "pawn") - (other === "pawn"));
  actions.prepend(element("p", { class: "tap" }, kinds.map((kind) => word(`tap.${kind}`)).join(" ")),
    hidden ? element("button", { type: "button", class: "quiet", id: "find", onclick: () => find(hidden.part) }, word("tap.find")) : "");
}
