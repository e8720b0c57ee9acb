// The settings of a table: the pace of its agents, how long the page dwells on what happens, questions, signs.

import { asksAgain } from "./actions.js";
import { checkBox, element, labelled, select } from "./dom.js";
import { soundSwitch } from "./sounds.js";
import { speedChoice } from "./staging.js";
import { store, stored } from "./storage.js";
import { signSwitch } from "./turn.js";
import { paceName, word } from "./words.js";

export class TableSettings {
  /** @param {Server.Offer} offer @param {(message: Server.Received) => void} send */
  constructor(offer, send) {
    const paces = offer.paces.map((pace) => /** @type {[string, string]} */ ([String(pace), paceName(pace)]));
    this.sounds = soundSwitch();
    this.pace = select(paces, "", (value) => send({ type: "pace", pace: JSON.parse(value) }), { id: "pace" });
    this.agentsPace = labelled(word("pace"), this.pace);
    this.again = checkBox(word("ask_again"), { id: "confirm", checked: asksAgain(),
      onchange: (event) => store("confirm", event.target.checked) });
    this.hurry = checkBox(word("hurry_always"), { id: "hurry-always", checked: stored("hurry", false),
      onchange: (event) => store("hurry", event.target.checked) });
    this.sign = signSwitch();
    this.element = element("details", { class: "options" }, element("summary", {}, word("options")), this.agentsPace,
      labelled(word("staging"), speedChoice()), this.again, this.hurry, this.sign);
  }

  /** @param {Server.State} state */
  show({ pace, seat, over, seats }) {
    this.pace.value = String(pace);
    this.pace.disabled = seat === null;
    this.agentsPace.hidden = over || seats.every((one) => one.person);
    this.again.hidden = this.sign.hidden = this.hurry.hidden = seat === null;
  }
}
