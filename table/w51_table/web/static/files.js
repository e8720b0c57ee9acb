// Files that the page saves.

import { element } from "./dom.js";

const KEPT = 60000; // milliseconds until the browser has certainly taken it

/** Save a file. @param {Blob} content @param {string} name */
export function saveFile(content, name) {
  const address = URL.createObjectURL(content);
  element("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), KEPT);
}

/** Save a file of JSON. @param {string} content @param {string} name */
export const saveJson = (content, name) => saveFile(new Blob([content], { type: "application/json" }), name);
