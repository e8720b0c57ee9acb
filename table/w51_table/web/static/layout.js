// The layout of the page and of its pictures: that of a phone, or of a wide screen, from which on a wide picture has
// legible text. The server's theme.css says which screens are narrow.

/** @type {MediaQueryList | null} */
let narrow = null;

function query() {
  narrow ??= matchMedia(getComputedStyle(document.documentElement).getPropertyValue("--w51-narrow"));
  return narrow;
}

/** @returns {"narrow" | "wide"} */
export const form = () => (query().matches ? "narrow" : "wide");

/** Set what the style sheet reads, and call a function when the layout changes: a phone was turned.
 * @param {() => void} act */
export function watchLayout(act) {
  const set = () => { document.documentElement.dataset.form = form(); };
  set();
  query().addEventListener("change", () => {
    set();
    act();
  });
}
