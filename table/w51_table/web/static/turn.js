// Whose turn it is, beyond the page: the clock of a decision, and a sign when the page is not in sight.

import { element, store, stored, word } from "./dom.js";
import { play } from "./sounds.js";

/** A line with the seconds that were left at a moment; `show(seconds, moment)` starts it anew, null hides it. */
export function clock() {
  const line = element("p", { class: "clock", role: "timer", hidden: true });
  let ends = 0;
  let ticking = 0;
  return { line, show, stop: () => clearInterval(ticking) };

  function show(seconds, moment) {
    clearInterval(ticking);
    line.hidden = seconds === null;
    if (seconds === null) return;
    ends = moment + 1000 * seconds;
    tick();
    ticking = setInterval(tick, 250);
  }

  function tick() {
    const left = Math.max(0, Math.ceil((ends - performance.now()) / 1000));
    line.textContent = word("clock_left", { seconds: left });
    line.classList.toggle("late", left <= 5);
  }
}

/** A switch: a tone and a notification when it is one's turn and the page is hidden. */
export function signSwitch() {
  const box = element("input", { type: "checkbox", id: "sign", checked: stored("sign", false), onchange: async () => {
    if (box.checked && "Notification" in window && Notification.permission === "default") await Notification.requestPermission();
    store("sign", box.checked);
    if (box.checked) play("turn");
  } });
  return element("label", { class: "check" }, box, " ", word("sign"));
}

/** Tell that it is one's turn, if that is wanted and the page is not in sight. */
export function giveSign(text) {
  if (!stored("sign", false) || !document.hidden) return;
  play("turn");
  if ("Notification" in window && Notification.permission === "granted") new Notification(text, { tag: "w51", icon: "icon.svg" });
}
