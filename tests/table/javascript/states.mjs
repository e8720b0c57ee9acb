// Messages for tests.

/** @type {Server.State} */
const WAITING = {
  type: "state", title: "Game", headline: "Ben bids", task: "bid", picture: "", text: "", score: null, bidding: true,
  actions: [], news: [], lots: [], opened: [], raises: [], staged: [], decision: 7, seat: 0, turn: 1, over: false,
  new: false,
  skipped: null, undo: false, thinking: false, hurry: false, pace: 0, seconds: null, windows: 1, next: null, seed: null,
  failure: null, seats: [],
};

/** A state of a table at which somebody else decides, but for some fields. @param {Partial<Server.State>} fields
 * @returns {Server.State} */
export const state = (fields = {}) => ({ ...WAITING, ...fields });

/** @type {Server.SingleAction} */
export const PASS = { kind: "pass", id: 0, text: "pass", part: "lot", number: null };

/** A bid that is a button. @param {number} number @returns {Server.SingleAction} */
export const bid = (number) => ({ kind: "bid", id: 100 + number, text: `bid ${number}`, part: "lot", number });

/** Bids in one field. @param {string} kind @param {number[]} numbers @param {number} most
 * @returns {Server.NumberedActions} */
export const bids = (kind, numbers, most) => ({ kind, most,
  choices: numbers.map((number) => [number, 100 + number, `${kind} ${number}`]) });
