// A table: the picture, the actions of the visitor's seat, the news, and the review after the game.

import { actionPanel } from "./actions.js";
import { element, form, labelled, request, select, setTitle, showNothing, showPicture, stored, word } from "./dom.js";
import { agentName, paceName } from "./form.js";

const MALFORMED = 4400;
const NOT_FOUND = 4404;
const MOST_LINES = 400;

export function showTable(main, offer, name, token) {
  const connection = document.getElementById("connection");
  const headline = element("h1", { class: "headline", role: "status", "aria-live": "polite" });
  const picture = element("div", { class: "picture" });
  const actions = element("section", { class: "panel actions", "aria-label": word("your_actions") });
  const hint = element("p", { class: "hint", role: "status" });
  const log = element("ol");
  const logBox = element("div", { class: "log", role: "log", "aria-live": "polite", tabindex: "0",
    "aria-label": word("news") }, log);
  const seats = element("ul", { class: "seats" });
  const text = element("pre", { tabindex: "0", "aria-label": word("in_words") });
  const failure = element("p", { class: "failure", role: "status" });
  const review = element("section", { class: "panel review", hidden: true });
  const paces = offer.paces.map((pace) => [String(pace), paceName(pace)]);
  const pace = select(paces, "", (value) => send({ type: "pace", pace: JSON.parse(value) }), { id: "pace" });
  const agentsPace = labelled(word("pace"), pace);
  const table = element("div", { class: "table empty" },
    element("div", { class: "stage" }, headline, picture, element("div", { class: "dock" }, actions, hint)),
    review,
    element("aside", {}, failure,
      element("section", { class: "panel" }, element("h2", {}, word("news")), logBox),
      element("section", { class: "panel" }, element("h2", {}, word("seats")), seats, agentsPace),
      element("details", { class: "panel" }, element("summary", {}, word("in_words")), text)));
  main.append(table);
  headline.textContent = word("loading");
  setTitle(word("loading"));

  let socket = null;
  let state = null;
  let attempts = 0;
  let retry = 0;
  let gone = false;
  let acted = false; // an action was sent, and not answered yet
  let held = false; // the focus was on the actions when they were last replaced
  connect();
  document.addEventListener("keydown", onKey);
  return () => {
    gone = true;
    clearTimeout(retry);
    document.removeEventListener("keydown", onKey);
    connection.textContent = "";
    socket?.close();
  };

  function connect() {
    socket = new WebSocket(`ws${location.protocol.slice(4)}//${location.host}/ws`);
    socket.onopen = () => socket.send(JSON.stringify({ type: "hello", table: name, token,
      language: offer.language, form: form() }));
    socket.onmessage = (event) => receive(JSON.parse(event.data));
    socket.onclose = (event) => {
      if (gone) return;
      if (event.code === NOT_FOUND || event.code === MALFORMED) {
        gone = true;
        connection.textContent = "";
        showNothing(main, word("no_table"));
        return;
      }
      if (!state?.over) actions.replaceChildren(element("p", {}, word("reconnecting")));
      actions.classList.remove("yours");
      headline.classList.remove("thinking");
      connection.textContent = word("reconnecting");
      retry = setTimeout(connect, Math.min(4000, 250 * 2 ** attempts));
      attempts += 1;
    };
  }

  function send(message) {
    if (socket?.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message));
  }

  function receive(message) {
    if (message.type === "hint") {
      if (message.decision === state?.decision) showHint(message);
      return;
    }
    const before = state;
    state = message;
    attempts = 0;
    connection.textContent = "";
    table.classList.remove("empty");
    const said = message.actions.length ? word("your_turn", { headline: message.headline }) : message.headline;
    setTitle(said, message.title);
    if (headline.textContent !== said) headline.textContent = said;
    headline.classList.toggle("thinking", message.thinking);
    if (message.picture !== before?.picture) showPicture(picture, message.picture);
    if (message.text !== before?.text) text.textContent = message.text;
    pace.value = String(message.pace);
    pace.disabled = message.seat === null;
    agentsPace.hidden = message.over || message.seats.every((seat) => seat.person);
    failure.textContent = message.failure ? message.failure : "";
    showSeats(message);
    showNews(message);
    if (message.new || acted || before?.decision !== message.decision) showActions(message);
    actions.dataset.decision = message.decision;
    if (message.over) showReview();
  }

  function showActions(message) {
    if (actions.contains(document.activeElement)) held = true;
    else if (document.activeElement !== document.body) held = false;
    acted = false;
    hint.textContent = "";
    actions.hidden = message.seat === null;
    actions.replaceChildren();
    if (message.actions.length) {
      actions.append(...actionPanel(message.actions, (action) => {
        acted = true;
        send({ type: "act", decision: message.decision, action });
      }), element("button", { type: "button", class: "quiet", id: "hint", onclick: askHint }, word("hint")));
      if (held) actions.querySelector("button, input")?.focus({ preventScroll: true });
    } else {
      actions.append(element("p", {}, message.over ? word("over") : message.pace === null && message.thinking
        ? word("paused") : word("waiting")));
    }
    actions.classList.toggle("yours", message.actions.length > 0);
  }

  function askHint() {
    hint.textContent = word("thinking");
    send({ type: "hint", decision: state.decision });
  }

  function showHint(message) {
    const parts = [word("hint_is", { agent: agentName(message.agent), action: message.text })];
    if (message.chance !== null) parts.push(word("hint_chance", { percent: Math.round(100 * message.chance) }));
    hint.textContent = parts.join(" ");
  }

  function showSeats(message) {
    const links = stored("tables", []).find((kept) => kept.table === name)?.tokens ?? [];
    const focused = document.activeElement?.dataset?.copy;
    seats.replaceChildren(...message.seats.map((seat, index) => {
      const item = element("li", { class: index === message.turn ? "turn" : "" }, element("span", {}, seat.name));
      const notes = [];
      if (index === message.seat) notes.push(word("you"));
      else if (seat.person) notes.push(word(seat.here ? "here" : "away"));
      if (notes.length) item.append(" ", element("small", {}, notes.join(", ")));
      if (seat.person && index !== message.seat && links[index]) item.append(" ", copyButton(links[index], seat.name, index));
      return item;
    }));
    if (focused !== undefined) seats.querySelector(`[data-copy="${focused}"]`)?.focus();
  }

  function copyButton(link, person, index) {
    const address = `${offer.address ?? location.origin}/#/table/${name}/${link}`;
    return element("button", { type: "button", class: "quiet", "data-copy": index, title: address,
      onclick: async (event) => {
        try {
          await navigator.clipboard.writeText(address);
          event.target.textContent = word("copied");
        } catch {
          prompt(word("link_for", { name: person }), address);
        }
      } }, word("link_for", { name: person }));
  }

  function showNews(message) {
    if (message.new) log.replaceChildren();
    log.append(...message.news.map((line) => element("li", {}, line)));
    while (log.childElementCount > MOST_LINES) log.firstChild.remove();
    logBox.scrollTop = logBox.scrollHeight;
    logBox.classList.toggle("long", logBox.scrollHeight > logBox.clientHeight);
  }

  async function showReview() {
    if (!review.hidden) return;
    review.hidden = false;
    review.replaceChildren(element("h2", {}, word("review")), element("p", { role: "status" }, word("thinking")));
    try {
      const found = await request(`api/review/${name}?language=${offer.language}&form=${form()}`,
        { headers: { authorization: `Bearer ${token}` } });
      const link = (step, label) => element("a", { href: `#/replay/${found.replay}/${step}/all` }, label);
      showPicture(picture, found.picture);
      text.textContent = found.text;
      actions.replaceChildren(element("p", {}, word("all_hidden")));
      review.replaceChildren(element("h2", {}, word("review")),
        element("ul", { class: "standings" }, ...found.standings.map(([rank, player, total]) =>
          element("li", { class: rank === 1 ? "first" : "" }, element("b", {}, `${rank}.`), element("span", {}, ` ${player} `), element("b", {}, total.toLocaleString(document.documentElement.lang))))),
        element("p", { class: "row links" }, link(0, word("watch_replay")),
          element("a", { href: `api/replays/${found.replay}/file`, download: `${found.replay}.json` }, word("save_replay")),
          element("a", { href: "#/" }, word("new_table"))),
        ...(found.decisions ? differences(found, link) : []));
    } catch (error) {
      review.replaceChildren(element("p", {}, error.message));
    }
  }

  /** The decisions at which the hint was another action. */
  function differences(found, link) {
    const rows = found.differences.map((one) => element("tr", {}, element("th", { scope: "row" }, link(one.step, one.where)),
      element("td", {}, one.action), element("td", {}, one.hint)));
    const head = ["lot", "you", "hint"].map((key) => element("th", { scope: "col" }, word(key)));
    const title = word("hint_differs", { agent: agentName(found.agent), count: rows.length, decisions: found.decisions });
    return [element("h3", {}, title), element("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": title },
      element("table", { class: "differences" }, element("thead", {}, element("tr", {}, ...head)), element("tbody", {}, ...rows)))];
  }

  function onKey(event) {
    if (event.ctrlKey || event.altKey || event.metaKey || /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName)) return;
    if (event.key === "h" && state?.actions.length) askHint();
    else if (event.key === "p") actions.querySelector('[data-kind="pass"]')?.focus();
    else if (event.key === "a") actions.querySelector("input, button")?.focus();
    else return;
    event.preventDefault();
  }
}
