// Panels of which one is shown, with a tab for each.

import { button, element } from "./dom.js";

/** @typedef {{tab: HTMLElement, panel: HTMLElement}} Tab */

export class Tabs {
  /** @param {string} label @param {[string, string, HTMLElement[]][]} panels id, label and content of each */
  constructor(label, panels) {
    /** @type {Map<string, Tab>} */
    this.tabs = new Map(panels.map(([id, name, content]) => [id, {
      tab: button(name, () => this.open(id), { role: "tab", id: `tab-${id}`, "aria-controls": `panel-${id}` }),
      panel: element("div", { role: "tabpanel", id: `panel-${id}`, "aria-labelledby": `tab-${id}`, tabindex: 0 },
        ...content),
    }]));
    const made = [...this.tabs.values()];
    const list = element("div", { class: "tabs", role: "tablist", "aria-label": label,
      onkeydown: (event) => this.onKey(event) }, ...made.map(({ tab }) => tab));
    this.element = element("div", { class: "tabbed" }, list, ...made.map(({ panel }) => panel));
    this.open(panels[0][0]);
  }

  /** @param {string} wanted */
  open(wanted) {
    for (const [id, { tab, panel }] of this.tabs) {
      tab.setAttribute("aria-selected", String(id === wanted));
      tab.setAttribute("tabindex", id === wanted ? "0" : "-1");
      panel.hidden = id !== wanted;
    }
  }

  /** Offer a panel, or no longer. @param {string} id @param {boolean} isOffered */
  offer(id, isOffered) {
    const { tab, panel } = /** @type {Tab} */ (this.tabs.get(id));
    tab.hidden = !isOffered;
    if (!isOffered && !panel.hidden) this.open(this.offered()[0][0]);
  }

  offered() {
    return [...this.tabs].filter(([, { tab }]) => !tab.hidden);
  }

  /** @param {KeyboardEvent} event */
  onKey(event) {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    const shown = this.offered();
    const now = shown.findIndex(([, { tab }]) => tab === event.target);
    const [id, { tab }] = shown[(now + step + shown.length) % shown.length];
    this.open(id);
    tab.focus();
    event.preventDefault();
    event.stopPropagation();
  }
}
