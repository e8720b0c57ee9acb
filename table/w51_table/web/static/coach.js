// What the coach advises at a decision: at first sight, which is there at once, and after it has played games out.

import { agentName } from "./form.js";
import { word } from "./dom.js";

const PATIENCE = 500; // milliseconds that a bid waits for the first sight

/**
 * The coach of a table. `line` is the connection, `place` an element for its words. Returns `ask(decision)`: tell what
 * it advises; `bid(decision)`: a promise of the bid that it would make at first sight, 0 if it does not answer;
 * `receive(message)` for what the server sends of the current decision; `clear()` for a new one.
 */
export function coachAt(line, place) {
  let told = false; // its advice was asked for
  let seen = null; // what it advises at first sight
  let waiting = [];
  return { ask, bid, receive, clear };

  function ask(decision) {
    told = true;
    if (seen) say(seen);
    else place.textContent = word("thinking");
    line.send({ type: "hint", decision });
  }

  function bid(decision) {
    if (seen) return Promise.resolve(seen.amount);
    line.send({ type: "hint", decision, first: true });
    return new Promise((done) => {
      waiting.push(done);
      setTimeout(() => done(0), PATIENCE);
    });
  }

  function receive(message) {
    if (message.busy) {
      if (told) place.textContent = [seen && word("hint_first", { action: seen.text }), message.busy].filter(Boolean).join(" ");
      return;
    }
    if (message.first) {
      seen = message;
      for (const done of waiting.splice(0)) done(message.amount);
    }
    if (told) say(message);
  }

  function say(message) {
    place.textContent = message.first ? word("hint_first", { action: message.text })
      : [word("hint_is", { agent: agentName(message.agent), action: message.text }), ...message.reasons].join(" ");
  }

  function clear() {
    told = false;
    seen = null;
    place.textContent = "";
  }
}
