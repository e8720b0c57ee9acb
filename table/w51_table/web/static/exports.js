// A finished game as a file, which the server makes: a page, text, a picture of the end, an animation, a video.

import { addressOf } from "./api.js";
import { button, element, report } from "./dom.js";
import { saveFile } from "./files.js";
import { word } from "./words.js";

const FORMATS = ["html", "txt", "svg", "gif", "mp4"];

/** Buttons for the files of the game `name`; `language` is that of the page. @param {string} name
 * @param {string} language */
export function exportMenu(name, language) {
  const status = element("span", { role: "status" });
  /** @type {HTMLButtonElement[]} */
  const buttons = FORMATS.map((format) => button(word(`export_${format}`), async () => {
    for (const one of buttons) one.disabled = true;
    status.textContent = word("exporting");
    report("");
    try {
      saveFile(await exported(name, format, language), `${name}.${format}`);
    } catch (error) {
      report(error.message);
    } finally {
      for (const one of buttons) one.disabled = false;
      status.textContent = "";
    }
  }, { class: "quiet", "data-export": format }));
  return element("details", { class: "exports" }, element("summary", {}, word("export")),
    element("p", { class: "row" }, ...buttons, status));
}

/** @param {string} name @param {string} format @param {string} language */
async function exported(name, format, language) {
  const theme = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
  const answer = await fetch(addressOf("replays/{name}/export/{format}", { name, format, query: { language, theme } }));
  if (!answer.ok) throw new Error((await answer.json()).error);
  return answer.blob();
}
