// What an agent reports of the steps of a replay, and who believes what there.

import { read } from "./api.js";
import { beliefsOf } from "./beliefs.js";
import { element } from "./dom.js";
import { thoughtsOf } from "./thoughts.js";
import { agentName, word } from "./words.js";

const THINK_AFTER = 250; // milliseconds at one step
const NONE = "none";

export class ReplayAdvice {
  step = 0;
  isLast = false; // nothing is decided at the step
  isComplete = false;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  timer;
  thoughts = element("div", { class: "thoughts" });
  beliefs = element("div");
  beliefBox = element("details", { class: "panel beliefs", hidden: true, ontoggle: () => this.showBeliefs() },
    element("summary", {}, word("beliefs")), this.beliefs);
  agents = element("select", { id: "agent", "aria-label": word("agent"), onchange: () => this.think(0) });

  /** @param {string} name of the replay @param {string} language @param {() => string} viewer */
  constructor(name, language, viewer) {
    this.name = name;
    this.language = language;
    this.viewer = viewer;
  }

  /** Offer agents. @param {Server.ReplayAbout} about */
  load(about) {
    const choices = [...about.agents.map((agent) => [agent, agentName(agent)]), [NONE, word("agent_none")]];
    if (about.decide) choices.unshift(["", word("agent_decides")]);
    this.agents.append(...choices.map(([value, label]) => element("option", { value }, label)));
    this.agents.value = about.adviser;
    this.beliefBox.hidden = !about.beliefs;
    this.isComplete = about.complete;
  }

  /** A step is shown. @param {number} step @param {boolean} isLast */
  show(step, isLast) {
    this.step = step;
    this.isLast = isLast;
    this.think(THINK_AFTER);
  }

  stop() {
    clearTimeout(this.timer);
  }

  /** Show who believes what at this step, if that is open. */
  async showBeliefs() {
    if (!this.beliefBox.open) return;
    const { name, step, language, beliefs } = this;
    try {
      const query = { viewer: this.viewer(), agent: this.agents.value, language };
      const found = await read("replays/{name}/{step}/beliefs", { name, step, query });
      if (step === this.step) beliefs.replaceChildren(...beliefsOf(found));
    } catch (error) {
      if (step === this.step) beliefs.replaceChildren(element("p", {}, error.message));
    }
  }

  /** Show what the agent reports of this step, after some milliseconds without another one. @param {number} after */
  think(after) {
    this.stop();
    this.showBeliefs();
    const { thoughts } = this;
    if (this.agents.value === NONE || this.isLast) {
      thoughts.classList.remove("old");
      thoughts.replaceChildren();
      return;
    }
    thoughts.classList.add("old");
    this.timer = setTimeout(() => this.ask(), this.isComplete ? after : 0);
  }

  async ask() {
    const { name, step, language, thoughts, agents: { value: agent } } = this;
    const isPlace = () => step === this.step && agent === this.agents.value && thoughts.isConnected;
    let isWhole = false;
    while (!isWhole) {
      /** @type {import("./dom.js").Child[]} */
      let parts;
      try {
        const found = await read("replays/{name}/{step}/thoughts", { name, step, query: { agent, language } });
        parts = thoughtsOf(found);
        isWhole = found.whole;
      } catch (error) {
        parts = [error.message];
        isWhole = true;
      }
      if (!isPlace()) return;
      thoughts.classList.remove("old");
      thoughts.replaceChildren(...parts.filter((part) => part !== null));
    }
  }
}
