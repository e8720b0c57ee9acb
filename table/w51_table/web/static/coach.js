// What the coach advises at a decision: at first sight, which is there at once, and after it has played games out.

import { curveOf } from "./curve.js";
import { button } from "./dom.js";
import { agentName, said, word } from "./words.js";

const PATIENCE = 500; // milliseconds that a bid waits for the first sight

/** The coach of a table. */
export class Coach {
  /** @param {(message: Server.Received) => void} send @param {HTMLElement} place for its words */
  constructor(send, place) {
    this.send = send;
    this.place = place;
    this.told = false; // its advice was asked for
    /** @type {Server.Hint | null} */
    this.seen = null; // what it advises at first sight
    /** @type {((amount: number) => void)[]} */
    this.waiting = [];
    /** @type {((limit: number) => void) | null} */
    this.order = null; // bids for the lot up to an amount; null where one cannot
  }

  /** Tell what it advises. @param {number} decision */
  ask(decision) {
    this.told = true;
    if (this.seen) this.say(this.seen);
    else this.place.textContent = word("thinking");
    this.send({ type: "hint", decision });
  }

  /** The bid that it would make at first sight, 0 if it does not answer. @param {number} decision
   * @returns {Promise<number>} */
  bid(decision) {
    if (this.seen) return Promise.resolve(this.seen.amount);
    this.send({ type: "hint", decision, first: true });
    return new Promise((done) => {
      this.waiting.push(done);
      setTimeout(() => done(0), PATIENCE);
    });
  }

  /** The coach has too much to do. @param {Server.Busy} message */
  refuse(message) {
    const seen = this.seen ? word("hint_first", { action: this.seen.text }) : "";
    if (this.told) this.place.textContent = [seen, message.text].filter(Boolean).join(" ");
  }

  /** What the server sends of the current decision. @param {Server.Hint} message */
  receive(message) {
    if (message.first) {
      this.seen = message;
      for (const done of this.waiting.splice(0)) done(message.amount);
    }
    if (this.told) this.say(message);
  }

  /** @param {Server.Hint} message */
  say(message) {
    const whole = [word("hint_is", { agent: agentName(message.agent), action: message.text }), ...message.reasons];
    const text = message.first ? word("hint_first", { action: message.text }) : whole.join(" ");
    const highest = message.limit?.highest;
    const follow = highest && this.order
      ? [" ", button(word("up_to", { amount: said(highest) }), () => this.order?.(highest), { id: "follow" })] : [];
    this.place.replaceChildren(text, ...follow, ...curveOf(message.limit));
  }

  /** Forget the last decision. */
  clear() {
    this.told = false;
    this.seen = null;
    this.place.textContent = "";
  }
}
