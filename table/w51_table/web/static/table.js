// A table: the picture, the actions of the visitor's seat, the points, the news, and the review after the game.

import { actionPanel, asksAgain, leaveToPicture } from "./actions.js";
import { coachAt } from "./coach.js";
import { connect } from "./connection.js";
import { decisions } from "./decisions.js";
import { element, form, labelled, pageAddress, select, setTitle, showNothing, store, word } from "./dom.js";
import { countUp, endingPanel, ledgerTable, resultOf } from "./ending.js";
import { paceName } from "./form.js";
import { openInvitation, typedSeed } from "./invite.js";
import { newsBox } from "./news.js";
import { DECLINE, closePanel, onPart, openAreas, showPanel, showPicture } from "./picture.js";
import { rematch, showNext } from "./rematch.js";
import { showReview } from "./review.js";
import { rulesButton, showRules } from "./rules.js";
import { details, scoreTable } from "./score.js";
import { showSeats } from "./seats.js";
import { soundSwitch } from "./sounds.js";
import { endsLot, headingOf, speed, speedChoice, staging } from "./staging.js";
import { remember, remembered } from "./tables.js";
import { tabs } from "./tabs.js";
import { clock, giveSign, signSwitch } from "./turn.js";

export function showTable(main, offer, name, token) {
  const connected = document.getElementById("connection");
  const headline = element("h1", { class: "headline", "aria-live": "polite" });
  const picture = element("div", { class: "picture" });
  const notes = element("ul", { class: "notes", "aria-live": "polite" });
  const hint = element("p", { class: "hint", role: "status" });
  const line = connect(() => ({ type: "hello", table: name, token, language: offer.language, form: form() }),
    { message: receive, lost, gone, slow });
  const coach = coachAt(line, hint);
  const chosen = decisions((message) => line.send(message), coach);
  const { actions } = chosen;
  const news = newsBox();
  const seats = element("ul", { class: "seats" });
  const score = element("section", { class: "panel score", "aria-label": word("score_of"), hidden: true });
  const text = element("pre", { tabindex: "0", "aria-label": word("in_words") });
  const failure = element("p", { class: "failure", role: "status" });
  const seed = element("p", { class: "seed" });
  const review = element("section", { class: "panel review", hidden: true });
  const paces = offer.paces.map((pace) => [String(pace), paceName(pace)]);
  const pace = select(paces, "", (value) => line.send({ type: "pace", pace: JSON.parse(value) }), { id: "pace" });
  const agentsPace = labelled(word("pace"), pace);
  const again = element("label", { class: "check" }, element("input", { type: "checkbox", id: "confirm", checked: asksAgain(),
    onchange: (event) => store("confirm", event.target.checked) }), " ", word("ask_again"));
  const sign = signSwitch();
  const time = clock();
  const dock = element("div", { class: "dock" }, notes, time.line, actions, hint);
  const events = element("section", { class: "panel" }, element("h2", {}, word("news")), news.box);
  const settings = element("details", { class: "options" }, element("summary", {}, word("options")), agentsPace,
    labelled(word("staging"), speedChoice()), again, sign);
  const people = element("section", { class: "panel" }, element("h2", {}, word("seats")), seats, soundSwitch(), settings);
  const words = element("details", { class: "panel" }, element("summary", {}, word("in_words")), text);
  const parts = form() === "narrow" ? phoneParts() : null;
  const table = element("div", { class: "table empty" },
    element("div", { class: "stage" }, element("div", { class: "top" }, headline, rulesButton(openRules)), parts ? failure : null, seed, picture, dock), review,
    parts?.element ?? element("aside", {}, failure, score, events, people, words));
  main.append(table);
  headline.textContent = word("loading");
  setTitle(word("loading"));

  let state = null;
  let isBelow = false; // the page was scrolled to what glows below
  const stage = staging(picture, { begin, draw, show });
  onPart(picture, choosePart);
  document.addEventListener("keydown", onKey);
  return leave;

  /** What a phone shows below the actions, in tabs. */
  function phoneParts() {
    picture.rest = element("div", { class: "picture" });
    return tabs(word("in_tabs"), [["others", word("tab_others"), [picture.rest]], ["points", word("tab_points"), [score]],
      ["news", word("news"), [events]], ["seats", word("seats"), [people, words]]]);
  }

  function leave() {
    line.close();
    stage.stop();
    time.stop();
    closePanel();
    document.removeEventListener("keydown", onKey);
    connected.textContent = "";
  }

  function lost() {
    if (!state?.over) actions.replaceChildren(element("p", {}, word("reconnecting")));
    actions.classList.remove("yours");
    headline.classList.remove("thinking");
    connected.textContent = word("reconnecting");
    openAreas(picture, []);
    closePanel();
  }

  function gone() {
    leave();
    showNothing(main, word("no_table"));
  }

  function slow(isSlow) {
    connected.textContent = isSlow ? word("no_server") : "";
  }

  function receive(message) {
    if (message.type === "hint") {
      if (message.decision === state?.decision) coach.receive(message);
      return;
    }
    message.received = performance.now();
    if (message.decision !== state?.decision) actions.querySelector("#undo")?.remove(); // somebody has answered
    stage.add(message);
  }

  /** Show a state of the table; those before it have been shown. */
  function show(message) {
    const before = state;
    state = message;
    table.classList.remove("empty");
    const said = message.actions.length ? word("your_turn", { task: message.task }) : message.headline;
    setTitle(said, message.title);
    if (headline.textContent !== said) headline.textContent = said;
    headline.classList.toggle("thinking", message.thinking);
    if (message.over && before && !before.over && speed()) picture.classList.add("counting");
    drawPicture(message);
    if (message.text !== before?.text) text.textContent = message.text;
    showScore(message.score);
    pace.value = String(message.pace);
    pace.disabled = message.seat === null;
    agentsPace.hidden = message.over || message.seats.every((seat) => seat.person);
    again.hidden = sign.hidden = message.seat === null;
    time.show(message.seconds, message.received);
    if (message.actions.length && before && before.turn !== message.seat) giveSign(said);
    failure.textContent = message.failure ?? "";
    seed.textContent = typedSeed(message);
    const address = offer.address ?? pageAddress();
    showSeats(seats, message, name, address,
      { standIn: (seat, on) => line.send({ type: "stand_in", seat, on }), invite: () => openInvitation(name, token, address) });
    if (isBelow && before?.decision !== message.decision) scrollTo({ top: 0 });
    isBelow &&= before?.decision === message.decision;
    if (message.new) nameTable(message);
    news.add(message);
    chosen.update(message);
    if (message.over && review.hidden) showReview(review, { name, seat: message.seat, language: offer.language, address }, showAll)
      .finally(() => picture.classList.remove("counting"));
    if (message.over) showNext(actions, name, token, message.next);
  }

  /** What has just happened is about to be told: what was asked before is no choice any more. */
  function begin(message) {
    headline.classList.remove("thinking");
    headline.textContent = headingOf(message, false) ?? headline.textContent;
    if (!chosen.isSent() && !endsLot(message)) return;
    chosen.wait(message.over);
    notes.replaceChildren();
  }

  function draw(message) {
    headline.textContent = headingOf(message, true) ?? headline.textContent;
    return showPicture(picture, message.picture);
  }

  async function drawPicture(message) {
    await showPicture(picture, message.picture);
    if (state !== message) return;
    openAreas(picture, message.actions);
    if (parts) leaveToPicture(actions, message.actions, [picture, picture.rest], findBelow);
    if (!picture.querySelector(".open") && picture.rest?.querySelector(".open")) parts.open("others");
  }

  /** Show a part of the picture that is below the fold, until the next decision. */
  function findBelow(part) {
    isBelow = true;
    parts.open("others");
    picture.rest.querySelector(`[data-part="${CSS.escape(part)}"]`).scrollIntoView({ block: "center" });
  }

  function showScore(found) {
    const isShown = Boolean(found) && !found.ledger; // that is shown in place of the actions
    score.hidden = !isShown;
    parts?.offer("points", isShown);
    if (!isShown) return;
    score.replaceChildren(...(state.over && !parts ? [details(scoreTable(found))] : scoreTable(found)));
    notes.replaceChildren(...found.lot.map((note) => element("li", {}, note)));
  }

  /** A click on a part of the picture: what its card says, and its actions; a single action of no card is played. */
  function choosePart(part, about) {
    const own = chosen.isSent() ? [] : state.actions.filter((group) => part.classList.contains("open") && (group.part ?? "lot") === part.dataset.part);
    if (!about && own.length === 1 && !own[0].choices && own[0].kind !== DECLINE) chosen.act(own[0].id);
    else if (about || own.length) showPanel(part, about, actionPanel(own, chosen.act, chosen.bidding()));
  }

  async function showAll(found) {
    await showPicture(picture, found.picture);
    text.textContent = found.text;
    showScore(found.score);
    if (found.score?.ledger) {
      actions.replaceChildren(...ledgerTable(found.score));
      await countUp(actions);
    }
    await countUp(picture);
    headline.textContent = resultOf(found.standings, state.seat);
    setTitle(headline.textContent, state.title);
    if (actions.dataset.next) return; // the next game is offered there
    actions.hidden = false;
    actions.classList.add("ending");
    actions.replaceChildren(...endingPanel(found, name, state.seat === null ? null : () => rematch(name, token, offer.language)));
  }

  /** The list of own tables names the game and its people. */
  function nameTable(message) {
    const kept = remembered(name);
    if (kept && !kept.names.length) remember({ ...kept, title: message.title, names: message.seats.map((seat) => seat.name) });
  }

  function openRules() {
    showRules(`api/rules/${name}`, offer.language);
  }

  function onKey(event) {
    if (event.ctrlKey || event.altKey || event.metaKey || event.target.matches("select, textarea, input:not([type=number])")) return;
    if (event.key === "h" && state?.actions.length) coach.ask(state.decision);
    else if (event.key === "p") actions.querySelector('[data-kind="pass"]')?.focus();
    else if (event.key === "a") actions.querySelector("input, button")?.focus();
    else if (event.key === "?") openRules();
    else return;
    event.preventDefault();
  }
}
