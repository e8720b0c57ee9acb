// A table: the picture, the actions of the visitor's seat, the points, the news, and the review after the game.

import { actionPanel, leaveToPicture } from "./actions.js";
import { Coach } from "./coach.js";
import { Connection } from "./connection.js";
import { Decisions } from "./decisions.js";
import { element, find, pageAddress, setTitle, showNothing } from "./dom.js";
import { countUp, endingPanel, ledgerTable, resultOf } from "./ending.js";
import { openInvitation, typedSeed } from "./invitation.js";
import { form } from "./layout.js";
import { NewsBox } from "./news.js";
import { DECLINE, onPart, openAreas, showPicture } from "./picture.js";
import { closePanel, showPanel } from "./popup.js";
import { showNext } from "./rematch.js";
import { showReview } from "./review.js";
import { rulesButton, showRules } from "./rules.js";
import { details, scoreTable } from "./score.js";
import { showSeats } from "./seats.js";
import { endsLot, headingOf } from "./staged.js";
import { Stage, speed } from "./staging.js";
import { TableSettings } from "./table_settings.js";
import { remember, remembered } from "./tables.js";
import { Tabs } from "./tabs.js";
import { Clock, giveSign } from "./turn.js";
import { word } from "./words.js";

/** @typedef {import("./decisions.js").Received} Received */

/** The page.
 * @param {HTMLElement} main @param {Server.Offer} offer @param {string} name @param {string} token of the seat */
export function showTable(main, offer, name, token) {
  const page = new TablePage(main, offer, name, token);
  return () => page.leave();
}

class TablePage {
  connected = find(document, "#connection");
  headline = element("h1", { class: "headline", "aria-live": "polite" }, word("loading"));
  /** @type {import("./picture.js").Picture} */
  picture = element("div", { class: "picture" });
  notes = element("ul", { class: "notes", "aria-live": "polite" });
  hint = element("p", { class: "hint", role: "status" });
  seats = element("ul", { class: "seats" });
  score = element("section", { class: "panel score", "aria-label": word("score_of"), hidden: true });
  text = element("pre", { tabindex: "0", "aria-label": word("in_words") });
  failure = element("p", { class: "failure", role: "status" });
  seed = element("p", { class: "seed" });
  review = element("section", { class: "panel review", hidden: true });
  news = new NewsBox();
  clock = new Clock();
  /** @type {Received | null} */
  state = null;
  /** @type {Received | null} */
  unsaid = null; // the last state of a game, which the log has not told
  isBelow = false; // the page was scrolled to what glows below
  /** @type {Tabs | null} */
  tabs = null; // what a phone shows below the actions

  /** @param {HTMLElement} main @param {Server.Offer} offer @param {string} name @param {string} token */
  constructor(main, offer, name, token) {
    this.main = main;
    this.offer = offer;
    this.name = name;
    this.token = token;
    this.address = offer.address ?? pageAddress();
    this.line = new Connection(
      () => ({ type: "hello", table: name, token, language: offer.language, form: form() }),
      { message: (message) => this.receive(message), lost: () => this.lost(), gone: () => this.gone(),
        slow: (isSlow) => { this.connected.textContent = isSlow ? word("no_server") : ""; } });
    const send = (/** @type {Server.Received} */ message) => this.line.send(message);
    this.coach = new Coach(send, this.hint);
    this.chosen = new Decisions(send, this.coach, () => this.stage.hurry(), name);
    this.actions = this.chosen.actions;
    this.settings = new TableSettings(offer, send);
    this.table = this.layOut();
    main.append(this.table);
    setTitle(word("loading"));
    /** @type {Stage<Received>} */
    this.stage = new Stage(this.picture, { begin: (message) => this.begin(message),
      draw: (message) => this.draw(message), show: (message) => this.show(message) });
    onPart(this.picture, (part, about) => this.choosePart(part, about));
    this.onKey = (/** @type {KeyboardEvent} */ event) => this.pressed(event);
    document.addEventListener("keydown", this.onKey);
  }

  layOut() {
    const { headline, failure, seed, picture, review, score, settings } = this;
    const dock = element("div", { class: "dock" }, this.notes, this.clock.line, this.actions, this.hint);
    const events = element("section", { class: "panel" }, element("h2", {}, word("news")), this.news.box);
    const people = element("section", { class: "panel" }, element("h2", {}, word("seats")), this.seats,
      settings.sounds, settings.element);
    const words = element("details", { class: "panel" }, element("summary", {}, word("in_words")), this.text);
    if (form() === "narrow") {
      picture.rest = element("div", { class: "picture" });
      this.tabs = new Tabs(word("in_tabs"), [["others", word("tab_others"), [picture.rest]],
        ["points", word("tab_points"), [score]], ["news", word("news"), [events]],
        ["seats", word("seats"), [people, words]]]);
    }
    const top = element("div", { class: "top" }, headline, rulesButton(() => this.openRules()));
    return element("div", { class: "table live empty" },
      element("div", { class: "stage" }, top, this.tabs ? failure : null, seed, picture, dock), review,
      this.tabs?.element ?? element("aside", {}, failure, score, events, people, words));
  }

  leave() {
    this.line.close();
    this.stage.stop();
    this.clock.stop();
    closePanel();
    document.removeEventListener("keydown", this.onKey);
    this.connected.textContent = "";
  }

  lost() {
    if (!this.state?.over) this.actions.replaceChildren(element("p", {}, word("reconnecting")));
    this.actions.classList.remove("yours");
    this.headline.classList.remove("thinking");
    this.connected.textContent = word("reconnecting");
    openAreas(this.picture, []);
    closePanel();
  }

  gone() {
    this.leave();
    showNothing(this.main, word("no_table"));
  }

  /** @param {Server.State | Server.Hint | Server.Busy} message */
  receive(message) {
    const isOther = message.decision !== this.state?.decision;
    if (message.type !== "state") {
      if (!isOther && message.type === "hint") this.coach.receive(message);
      if (!isOther && message.type === "busy") this.coach.refuse(message);
      return;
    }
    if (isOther) this.actions.querySelector("#undo")?.remove(); // somebody has answered
    this.stage.add({ ...message, received: performance.now() });
  }

  /** Show a state of the table; those before it have been shown. @param {Received} message */
  show(message) {
    const before = this.state;
    const isNext = before?.decision !== message.decision;
    this.state = message;
    this.table.classList.remove("empty");
    this.showHeadline(message, before);
    const isCounted = message.over && before && !before.over && speed() > 0;
    if (isCounted) this.picture.classList.add("counting");
    this.drawPicture(message);
    if (message.text !== before?.text) this.text.textContent = message.text;
    this.showScore(message.score);
    this.settings.show(message);
    this.clock.show(message.seconds, message.received);
    this.failure.textContent = message.failure ?? "";
    this.seed.textContent = typedSeed(message);
    showSeats(this.seats, message, { name: this.name, address: this.address,
      standIn: (seat, on) => this.line.send({ type: "stand_in", seat, on }),
      invite: () => openInvitation(this.name, this.token, this.address) });
    if (this.isBelow && isNext) scrollTo({ top: 0 });
    this.isBelow &&= !isNext;
    if (message.new) this.nameTable(message);
    if (isCounted) this.unsaid = message;
    else this.news.add(message);
    this.chosen.update(message);
    if (message.over) this.end(message);
  }

  /** @param {Received} message @param {Received | null} before */
  showHeadline(message, before) {
    const { headline } = this;
    const isOwn = message.actions.length > 0;
    const said = isOwn ? word("your_turn", { task: message.task }) : message.headline;
    setTitle(said, message.title);
    if (headline.textContent !== said) headline.textContent = said;
    headline.classList.toggle("thinking", message.thinking);
    if (isOwn && before && before.turn !== message.seat) giveSign(said);
  }

  /** The game is over: its review, and the next one, once somebody has begun it. @param {Received} message */
  end(message) {
    const { name, review } = this;
    const own = { name, seat: message.seat, language: this.offer.language, address: this.address };
    if (review.hidden) {
      let end = () => this.sayEnd(); // unless the sheet is counted before
      showReview(review, own, (found) => { end = () => {}; this.showAll(found); }).finally(() => end());
    }
    showNext(this.actions, name, this.token, message.next);
  }

  /** What has just happened is about to be told: what was asked before is no choice any more.
   * @param {Received} message */
  begin(message) {
    this.headline.classList.remove("thinking");
    this.headline.textContent = headingOf(message, false) ?? this.headline.textContent;
    if (!this.chosen.isSent && !endsLot(message)) return;
    this.chosen.wait(message.over);
    this.notes.replaceChildren();
  }

  /** @param {Received} message */
  draw(message) {
    this.headline.textContent = headingOf(message, true) ?? this.headline.textContent;
    return showPicture(this.picture, message.picture);
  }

  /** @param {Received} message */
  async drawPicture(message) {
    const { picture, tabs } = this;
    await showPicture(picture, message.picture);
    if (this.state !== message) return;
    openAreas(picture, message.actions);
    if (!tabs) return;
    leaveToPicture(this.actions, message.actions, [picture, picture.rest], (part) => this.findBelow(part));
    if (!picture.querySelector(".open") && picture.rest?.querySelector(".open")) tabs.open("others");
  }

  /** Show a part of the picture that is below the fold, until the next decision. @param {string} part */
  findBelow(part) {
    this.isBelow = true;
    this.tabs?.open("others");
    this.picture.rest?.querySelector(`[data-part="${CSS.escape(part)}"]`)?.scrollIntoView({ block: "center" });
  }

  /** @param {Server.ScoreData | null} found */
  showScore(found) {
    const { score, tabs, notes } = this;
    const isShown = found !== null && !found.ledger; // that is shown in place of the actions
    score.hidden = !isShown;
    tabs?.offer("points", isShown);
    if (!isShown) return;
    score.replaceChildren(...(this.state?.over && !tabs ? [details(scoreTable(found))] : scoreTable(found)));
    notes.replaceChildren(...found.lot.map((note) => element("li", {}, note)));
  }

  /** A click on a part of the picture: what its card says, and its actions; a single action of no card is played.
   * @param {HTMLElement} part @param {string} about */
  choosePart(part, about) {
    const { chosen, state } = this;
    const isOpen = state !== null && !chosen.isSent && part.classList.contains("open");
    const own = isOpen ? state.actions.filter((group) => (group.part ?? "lot") === part.dataset.part) : [];
    const [only] = own;
    if (!about && own.length === 1 && only.id !== undefined && only.kind !== DECLINE) chosen.act(only.id);
    else if (about || own.length) showPanel(part, about, actionPanel(own, chosen.deciding()));
  }

  /** @param {Server.Review} found */
  async showAll(found) {
    const { actions, picture, headline, name, token, state } = this;
    const seat = state?.seat ?? null;
    await showPicture(picture, found.picture);
    this.text.textContent = found.text;
    this.showScore(found.score);
    if (found.score?.ledger) {
      actions.replaceChildren(...ledgerTable(found.score));
      await countUp(actions);
    }
    await countUp(picture);
    this.sayEnd();
    headline.textContent = resultOf(found.standings, seat);
    setTitle(headline.textContent, state?.title);
    if (actions.dataset.next) return; // the next game is offered there
    actions.hidden = false;
    actions.classList.add("ending");
    actions.replaceChildren(...endingPanel(found, { name, token, seat, offer: this.offer }));
  }

  /** The log says who has won once the sheet has been counted, or cannot be. */
  sayEnd() {
    this.picture.classList.remove("counting");
    if (this.unsaid) this.news.add(this.unsaid);
    this.unsaid = null;
  }

  /** The list of own tables names the game and its people. @param {Received} message */
  nameTable({ title, seats }) {
    const kept = remembered(this.name);
    if (kept && !kept.names.length) remember({ ...kept, title, names: seats.map((seat) => seat.name) });
  }

  openRules() {
    showRules("rules/{name}", { name: this.name }, this.offer.language);
  }

  /** @param {KeyboardEvent} event */
  pressed(event) {
    const { target } = event;
    const isTyping = target instanceof Element && target.matches("select, textarea, input:not([type=number])");
    if (event.ctrlKey || event.altKey || event.metaKey || isTyping) return;
    const focus = (/** @type {string} */ selector) => {
      const control = this.actions.querySelector(selector);
      if (control instanceof HTMLElement) control.focus();
    };
    if (event.key === "h" && this.state?.actions.length) this.coach.ask(this.state.decision);
    else if (event.key === "p") focus('[data-kind="pass"]');
    else if (event.key === "a") focus("input, button");
    else if (event.key === "?") this.openRules();
    else return;
    event.preventDefault();
  }
}
