// A finished game as a file, which the server makes: a page, text, a picture of the end, an animation, a video.

import { element, report, word } from "./dom.js";

const FORMATS = ["html", "txt", "svg", "gif", "mp4"];

/** Buttons for the files of the game `name`; `language` is that of the page. */
export function exportMenu(name, language) {
  const status = element("span", { role: "status" });
  const buttons = FORMATS.map((format) => element("button", { type: "button", class: "quiet", "data-export": format,
    onclick: () => save(name, format, language, status, buttons) }, word(`export_${format}`)));
  return element("details", { class: "exports" }, element("summary", {}, word("export")),
    element("p", { class: "row" }, ...buttons, status));
}

async function save(name, format, language, status, buttons) {
  for (const button of buttons) button.disabled = true;
  status.textContent = word("exporting");
  report("");
  try {
    const theme = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
    const answer = await fetch(`api/replays/${name}/export/${format}?language=${language}&theme=${theme}`);
    if (!answer.ok) throw new Error((await answer.json()).error);
    const address = URL.createObjectURL(await answer.blob());
    element("a", { href: address, download: `${name}.${format}` }).click();
    setTimeout(() => URL.revokeObjectURL(address), 60000);
  } catch (error) {
    report(error.message);
  } finally {
    for (const button of buttons) button.disabled = false;
    status.textContent = "";
  }
}
