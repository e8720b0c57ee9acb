// Requests to the server: the paths and answers of docs/messages.md.

import { word, has } from "./words.js";

/**
 * @template {string} Path
 * @typedef {Path extends `${string}{${infer Name}}${infer Rest}` ? Name | Names<Rest> : never} Names
 */
/**
 * What a request has beside its path: a value for each name in braces, a query, the token of a seat, a body.
 * @template {string} Path
 * @typedef {{[Name in Names<Path>]: string | number} & {query?: Record<string, string | number>, token?: string,
 *   body?: string}} Asked
 */

/**
 * Read something.
 * @template {keyof Server.Reading} Path
 * @param {Path} path
 * @param {Asked<Path>} asked
 * @returns {Promise<Server.Reading[Path]>}
 */
export const read = (path, asked) => request("GET", path, asked);

/**
 * Change something, or send what only a body holds.
 * @template {keyof Server.Changing} Path
 * @param {Path} path
 * @param {Asked<Path>} asked
 * @returns {Promise<Server.Changing[Path]>}
 */
export const change = (path, asked) => request("POST", path, asked);

/** The address of a path, relative to the page. @param {string} path @param {Record<string, any>} asked */
export function addressOf(path, asked) {
  const query = new URLSearchParams(asked.query).toString();
  const named = path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(asked[name]));
  return `api/${named}${query && `?${query}`}`;
}

/**
 * The data of an answer; an Error with the server's message otherwise, and with what else it says.
 * @param {string} method
 * @param {string} path
 * @param {Record<string, any>} asked
 */
async function request(method, path, asked) {
  /** @type {Record<string, string>} */
  const headers = asked.token === undefined ? {} : { authorization: `Bearer ${asked.token}` };
  let answer;
  try {
    answer = await fetch(addressOf(path, asked), { method, headers, body: asked.body });
  } catch {
    throw new Error(has("no_server") ? word("no_server") : "The server does not answer.");
  }
  const data = await answer.json().catch(() => ({}));
  if (!answer.ok) throw Object.assign(new Error(data.error ?? `${answer.status} ${answer.statusText}`), data);
  return data;
}
