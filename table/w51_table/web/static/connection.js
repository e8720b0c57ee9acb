// The connection to a table: it is made again when it is lost, and asks now and then whether the server answers.

import { pageAddress } from "./dom.js";

const BEAT = 10000; // milliseconds from one sign of life to the next
const SLOW = 2000; //  after which a server that does not answer is said
const DEAD = 8000; //  after which it is asked over a new connection: that of a phone that slept may be lost without a word
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
  document.addEventListener("visibilitychange", wake);
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
      forget();
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
    if (message.type !== "hint") waiting ||= setTimeout(isLate, SLOW); // hints may take their time
  }

  function wake() {
    if (!document.hidden) send({ type: "ping" });
  }

  function isLate() {
    socket.send(JSON.stringify({ type: "ping" })); // it may be that the message before needs no answer
    on.slow(true);
    waiting = setTimeout(() => {
      forget();
      socket.onmessage = socket.onclose = null;
      socket.close();
      on.lost();
      open();
    }, DEAD - SLOW);
  }

  function answered() {
    forget();
    on.slow(false);
  }

  /** Wait for no answer any more. */
  function forget() {
    clearTimeout(waiting);
    waiting = 0;
  }

  function close() {
    closed = true;
    clearTimeout(timer);
    forget();
    clearInterval(beat);
    document.removeEventListener("visibilitychange", wake);
    socket?.close();
  }
}
