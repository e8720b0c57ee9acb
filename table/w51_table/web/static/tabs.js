// Panels of which one is shown, with a tab for each.

import { element } from "./dom.js";

/** `panels` are [id, label, content]. Returns the element, `open(id)`, and `offer(id, isOffered)`. */
export function tabs(label, panels) {
  const made = new Map(panels.map(([id, name, content]) => [id, {
    tab: element("button", { type: "button", role: "tab", id: `tab-${id}`, "aria-controls": `panel-${id}`, onclick: () => open(id) }, name),
    panel: element("div", { role: "tabpanel", id: `panel-${id}`, "aria-labelledby": `tab-${id}`, tabindex: 0 }, ...content),
  }]));
  const list = element("div", { class: "tabs", role: "tablist", "aria-label": label, onkeydown: onKey }, ...[...made.values()].map(({ tab }) => tab));
  open(panels[0][0]);
  return { element: element("div", { class: "tabbed" }, list, ...[...made.values()].map(({ panel }) => panel)), open, offer };

  function open(wanted) {
    for (const [id, { tab, panel }] of made) {
      tab.setAttribute("aria-selected", id === wanted);
      tab.setAttribute("tabindex", id === wanted ? 0 : -1);
      panel.hidden = id !== wanted;
    }
  }

  function offer(id, isOffered) {
    const { tab, panel } = made.get(id);
    tab.hidden = !isOffered;
    if (!isOffered && !panel.hidden) open([...made].find(([, other]) => !other.tab.hidden)[0]);
  }

  function onKey(event) {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    const shown = [...made].filter(([, { tab }]) => !tab.hidden);
    const now = shown.findIndex(([, { tab }]) => tab === event.target);
    const [id, { tab }] = shown[(now + step + shown.length) % shown.length];
    open(id);
    tab.focus();
    event.preventDefault();
    event.stopPropagation();
  }
}
