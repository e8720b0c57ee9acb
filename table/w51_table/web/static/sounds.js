// Short sounds of what happens at a table, made here; silent until they are wanted.

import { checkBox } from "./dom.js";
import { store, stored } from "./storage.js";
import { word } from "./words.js";

/** @typedef {"turn" | "card" | "coin" | "fist" | "gavel"} Sound */

const VOLUME = 0.1;
/** @type {Record<Sound, [number, number, number][]>} */
const NOTES = { // for each sound: [hertz, start, seconds]
  turn: [[660, 0, 0.15]],
  card: [[330, 0, 0.06], [440, 0.05, 0.08]],
  coin: [[1320, 0, 0.05], [1760, 0.06, 0.1]],
  fist: [[220, 0, 0.12], [277, 0.04, 0.16]],
  gavel: [[147, 0, 0.07], [98, 0.01, 0.12], [147, 0.16, 0.07], [98, 0.17, 0.16]],
};
/** @type {AudioContext | null} */
let context = null;

/** A switch for the sounds of a table. */
export function soundSwitch() {
  return checkBox(word("sounds"), { id: "sounds", checked: stored("sounds", false), onchange: ({ target }) => {
    store("sounds", target.checked);
    if (target.checked) play("coin");
  } });
}

/** Play a sound of a table, if sounds are wanted. @param {Sound} name */
export function sound(name) {
  if (stored("sounds", false)) play(name);
}

/** Play a sound. @param {Sound} name */
export function play(name) {
  context ??= new AudioContext();
  for (const [pitch, start, seconds] of NOTES[name]) {
    const at = context.currentTime + start;
    const source = context.createOscillator();
    const volume = context.createGain();
    source.frequency.value = pitch;
    volume.gain.setValueAtTime(VOLUME, at);
    volume.gain.exponentialRampToValueAtTime(VOLUME / 100, at + seconds);
    source.connect(volume).connect(context.destination);
    source.start(at);
    source.stop(at + seconds);
  }
}
