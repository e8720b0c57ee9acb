// What this browser keeps.

/**
 * @template Value
 * @param {string} key
 * @param {Value} fallback
 * @returns {Value}
 */
export function stored(key, fallback) {
  try {
    return JSON.parse(localStorage.getItem(`w51.${key}`) ?? "null") ?? fallback;
  } catch {
    return fallback;
  }
}

/** @param {string} key @param {unknown} value */
export function store(key, value) {
  try {
    localStorage.setItem(`w51.${key}`, JSON.stringify(value));
  } catch {
    // private windows may refuse; the page works without
  }
}
