// The connection to a table: it is made again when it is lost, and asks now and then whether the server answers.

import { pageAddress } from "./dom.js";

const BEAT = 10000; // milliseconds from one sign of life to the next
const SLOW = 2000; //  after which a server that does not answer is said
const MALFORMED = 4400;
const NOT_FOUND = 4404;

/**
 * Connect to the server. `hello` is the first message; `on` has the functions `message(data)`, `lost()`, `gone()`
 * (there is no such table) and `slow(isSlow)`.
 */
export function connect(hello, on) {
  let socket = null;
  let attempts = 0;
  let timer = 0;
  let waiting = 0;
  let closed = false;
  open();
  const beat = setInterval(() => send({ type: "ping" }), BEAT);
  return { send, close };

  function open() {
    socket = new WebSocket(`${pageAddress().replace("http", "ws")}/ws`);
    socket.onopen = () => socket.send(JSON.stringify(hello()));
    socket.onmessage = (event) => {
      attempts = 0;
      answered();
      const message = JSON.parse(event.data);
      if (message.type !== "pong") on.message(message);
    };
    socket.onclose = (event) => {
      if (closed) return;
      if (event.code === NOT_FOUND || event.code === MALFORMED) {
        close();
        on.gone();
        return;
      }
      on.lost();
      timer = setTimeout(open, Math.min(4000, 250 * 2 ** attempts));
      attempts += 1;
    };
  }

  function send(message) {
    if (socket?.readyState !== WebSocket.OPEN) return;
    socket.send(JSON.stringify(message));
    if (message.type !== "hint") waiting ||= setTimeout(() => on.slow(true), SLOW); // hints may take their time
  }

  function answered() {
    clearTimeout(waiting);
    waiting = 0;
    on.slow(false);
  }

  function close() {
    closed = true;
    clearTimeout(timer);
    clearTimeout(waiting);
    clearInterval(beat);
    socket?.close();
  }
}
