// The connection to a table: it is made again when it is lost, and asks now and then whether the server answers.

import { pageAddress } from "./dom.js";

const BEAT = 10000; // milliseconds from one sign of life to the next
const SLOW = 2000; //  after which a server that does not answer is said
const DEAD = 8000; //  after which it is asked over a new connection: that of a phone that slept may be lost
const MALFORMED = 4400;
const NOT_FOUND = 4404;

/**
 * @typedef {object} Events
 * @property {(message: Server.State | Server.Hint | Server.Busy) => void} message
 * @property {() => void} lost
 * @property {() => void} gone there is no such table
 * @property {(isSlow: boolean) => void} slow
 */

/** A connection to the server; `hello` makes the first message. */
export class Connection {
  /** @type {WebSocket | null} */
  socket = null;
  attempts = 0;
  closed = false;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  timer;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  waiting;

  /** @param {() => Server.Hello} hello @param {Events} on */
  constructor(hello, on) {
    this.hello = hello;
    this.on = on;
    this.wake = () => { if (!document.hidden) this.send({ type: "ping" }); };
    this.open();
    this.beat = setInterval(() => this.send({ type: "ping" }), BEAT);
    document.addEventListener("visibilitychange", this.wake);
  }

  open() {
    const socket = new WebSocket(`${pageAddress().replace("http", "ws")}/ws`);
    this.socket = socket;
    socket.onopen = () => socket.send(JSON.stringify(this.hello()));
    socket.onmessage = (event) => {
      this.attempts = 0;
      this.forget();
      this.on.slow(false);
      /** @type {Server.Sent} */
      const message = JSON.parse(event.data);
      if (message.type !== "pong") this.on.message(message);
    };
    socket.onclose = (event) => this.ended(event.code);
  }

  /** @param {number} code */
  ended(code) {
    if (this.closed) return;
    this.forget();
    if (code === NOT_FOUND || code === MALFORMED) {
      this.close();
      this.on.gone();
      return;
    }
    this.on.lost();
    this.timer = setTimeout(() => this.open(), Math.min(4000, 250 * 2 ** this.attempts));
    this.attempts += 1;
  }

  /** @param {Server.Received} message */
  send(message) {
    if (this.socket?.readyState !== WebSocket.OPEN) return;
    this.socket.send(JSON.stringify(message));
    if (message.type !== "hint") this.waiting ??= setTimeout(() => this.isLate(), SLOW); // hints may take their time
  }

  isLate() {
    this.socket?.send(JSON.stringify({ type: "ping" })); // it may be that the message before needs no answer
    this.on.slow(true);
    this.waiting = setTimeout(() => {
      this.forget();
      if (this.socket) this.socket.onmessage = this.socket.onclose = null;
      this.socket?.close();
      this.on.lost();
      this.open();
    }, DEAD - SLOW);
  }

  /** Wait for no answer any more. */
  forget() {
    clearTimeout(this.waiting);
    this.waiting = undefined;
  }

  close() {
    this.closed = true;
    clearTimeout(this.timer);
    this.forget();
    clearInterval(this.beat);
    document.removeEventListener("visibilitychange", this.wake);
    this.socket?.close();
  }
}
