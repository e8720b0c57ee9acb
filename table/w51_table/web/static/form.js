// The form of a new table, the tables of this browser, and replays.

import { element, labelled, report, request, select, setTitle, store, stored, word } from "./dom.js";
import { remember, tableList } from "./tables.js";

const PERSON = "person";
let open = false; // the options are shown

/** The start page; with `quick`, the id of a game, a quick game begins at once. */
export function showForm(main, offer, quick = null) {
  const chosen = { game: offer.games[0].id, seats: {}, names: {}, options: {}, ...stored("form", {}) };
  if (!offer.games.some((game) => game.id === chosen.game)) chosen.game = offer.games[0].id;
  const form = element("form", { class: "panel start", onsubmit: submit, onchange: keep, oninput: keep });
  setTitle(word("new_table"));
  const NAMES = ["Ida", "Max", "Zoe", "Ben", "Eva"];
  main.append(element("h1", {}, word("home")), gameCards(offer, (game) => quickGame(game)), ...tableList(offer.language),
    element("p", {}, element("a", { class: "button", href: "#/advice" }, word("advice"))), element("h2", { class: "own" }, word("own_settings")), form, replays(offer.language));
  draw();
  if (offer.games.some((game) => game.id === quick)) {
    history.replaceState(null, "", "#/"); // to go back begins no other game
    quickGame(quick);
  }

  function draw() {
    const game = offer.games.find((one) => one.id === chosen.game);
    if (!game.presets.some((preset) => preset.name === chosen.preset)) chosen.preset = game.presets[0]?.name ?? "";
    const preset = game.presets.find((one) => one.name === chosen.preset);
    if (!game.players.includes(chosen.players)) chosen.players = preset?.players ?? game.default_players;
    const focused = document.activeElement?.id;
    form.replaceChildren(
      element("div", { class: "row" },
        labelled(word("game"), select(offer.games.map((one) => [one.id, one.title]), chosen.game,
          (value) => change({ game: value, preset: "", options: {} }), { id: "game" })),
        labelled(word("players"), select(game.players.map((count) => [String(count), String(count)]),
          String(chosen.players), (value) => change({ players: Number(value) }), { id: "players" })),
        labelled(word("rules"), select(game.presets.map(({ name }) => [name, presetName(name)]), chosen.preset,
          (value) => change({ preset: value, players: presetPlayers(game, value), options: {} }), { id: "preset" }))),
      seatsField(game),
      tableFields(),
      optionsField(game, preset),
      element("p", { class: "row" },
        firstPerson() < 0 ? null : element("button", { class: "primary", id: "begin" }, word("begin")),
        element("button", { type: "button", class: firstPerson() < 0 ? "primary" : "", id: "watch", onclick: () => begin(watchers()) },
          word("watch"))));
    if (focused) document.getElementById(focused)?.focus();
  }

  /** Pace, clock and seed. */
  function tableFields() {
    const paces = offer.paces.map((pace) => [String(pace), paceName(pace)]);
    const clocks = offer.clocks.map((seconds) => [String(seconds), seconds === null ? word("clock_none") : word("pace_seconds", { seconds })]);
    return element("div", { class: "row" },
      labelled(word("pace"), select(paces, String(chosen.pace === undefined ? offer.paces[1] : chosen.pace),
        (value) => change({ pace: JSON.parse(value) }), { id: "pace" })),
      labelled(word("clock"), select(clocks, String(chosen.clock ?? null), (value) => change({ clock: JSON.parse(value) }), { id: "clock" })),
      labelled(word("seed"), element("input", { id: "seed", inputmode: "numeric", maxlength: 20, autocomplete: "off", value: chosen.seed ?? "",
        oninput: (event) => { chosen.seed = event.target.value.trim() || null; } })));
  }

  function change(what) {
    Object.assign(chosen, what);
    draw();
  }

  /** The form is drawn again in another language, or after the page was left. */
  function keep() {
    store("form", chosen);
  }

  function seatsField(game) {
    const rows = [];
    for (let seat = 0; seat < chosen.players; seat += 1) {
      const holders = [[PERSON, seat === firstPerson() ? word("you") : word("person")],
        ...agentsOf(game).map((name) => [name, agentName(name)])];
      rows.push(element("div", { class: "row seat" },
        labelled(word("seat", { seat: seat + 1 }), select(holders, holder(game, seat),
          (value) => change({ seats: { ...chosen.seats, [seat]: value } }), { id: `seat${seat}` })),
        labelled(word("name", { seat: seat + 1 }), element("input", { id: `name${seat}`, maxlength: 24,
          autocomplete: "off", value: chosen.names[seat] ?? "", placeholder: defaultName(game, seat),
          oninput: (event) => { chosen.names[seat] = event.target.value; } }))));
    }
    return element("fieldset", {}, element("legend", {}, word("seats")), element("div", { class: "seats-grid" }, ...rows));
  }

  /** The agents that can play by the chosen rules. */
  function agentsOf(game) {
    return game.presets.find((preset) => preset.name === chosen.preset)?.agents ?? game.agents;
  }

  function holder(game, seat) {
    const agents = agentsOf(game);
    const usual = seat === 0 ? PERSON : agents.includes("pretrained") ? "pretrained" : agents[1] ?? agents[0];
    const wanted = chosen.seats[seat] ?? usual;
    return wanted === PERSON || agents.includes(wanted) ? wanted : usual;
  }

  function holders(game) {
    return Array.from({ length: chosen.players }, (_, seat) => holder(game, seat));
  }

  /** The same seats with an agent in place of each person. */
  function watchers() {
    const game = offer.games.find((one) => one.id === chosen.game);
    const agents = agentsOf(game);
    const seats = holders(game);
    const usual = seats.find((name) => name !== PERSON) ?? agents[1] ?? agents[0];
    return seats.map((name) => (name === PERSON ? usual : name));
  }

  function firstPerson() {
    const game = offer.games.find((one) => one.id === chosen.game);
    for (let seat = 0; seat < chosen.players; seat += 1) if (holder(game, seat) === PERSON) return seat;
    return -1;
  }

  function defaultName(game, seat) {
    return holder(game, seat) === PERSON ? word("player", { seat: seat + 1 }) : NAMES[seat];
  }

  function optionsField(game, preset) {
    const rows = game.options.map(({ name, value, choices }) => {
      const usual = preset?.options[name] ?? value;
      const now = chosen.options[name] ?? usual;
      const set = (found) => { chosen.options = { ...chosen.options, [name]: found }; };
      const id = `option_${name}`;
      if (choices) {
        return labelled(optionName(game, name), select(choices.map((choice) => [String(choice), valueName(choice)]), String(now),
          (found) => set(choices.find((choice) => String(choice) === found)), { id }));
      }
      if (name === "first_player") {
        const seats = Array.from({ length: chosen.players }, (_, seat) => [String(seat), word("seat", { seat: seat + 1 })]);
        return labelled(optionName(game, name), select([["random", word("first_random")], ...seats], String(now),
          (found) => set(found === "random" ? found : Number(found)), { id }));
      }
      const read = (found) => (found === "" ? usual : /^-?\d+$/.test(found) ? Number(found) : found);
      return labelled(optionName(game, name), element("input", { id, value: now ?? "", autocomplete: "off", min: 0,
        type: value === null || typeof value === "number" ? "number" : "text", inputmode: value === null || typeof value === "number" ? "numeric" : null,
        placeholder: value === null ? word("option_by_players") : null,
        oninput: (event) => set(read(event.target.value.trim())) }));
    });
    return element("details", { open, ontoggle: (event) => { open = event.target.open; } }, element("summary", {}, word("options")), element("div", { class: "grid" }, ...rows));
  }

  function submit(event) {
    event.preventDefault();
    begin(holders(offer.games.find((one) => one.id === chosen.game)));
  }

  async function begin(seats) {
    const game = offer.games.find((one) => one.id === chosen.game);
    const names = seats.map((name, seat) => chosen.names[seat]
      || (name === PERSON ? word("player", { seat: seat + 1 }) : NAMES[seat]));
    for (const button of form.querySelectorAll("#begin, #watch")) button.disabled = true;
    report(word("setting_up"));
    keep();
    try {
      const made = await request(`api/tables?language=${offer.language}`, { method: "POST", headers: { "content-type": "application/json" },
        body: JSON.stringify({ game: chosen.game, preset: chosen.preset || "default", options: chosen.options, seats,
          names, pace: chosen.pace === undefined ? offer.paces[1] : chosen.pace, clock: chosen.clock ?? null, seed: seed() }) });
      const own = made.tokens.find((token) => token) ?? "";
      remember({ table: made.table, token: own, tokens: made.tokens, names: made.names, title: game.title });
      if (chosen.pace) store("pace", chosen.pace);
      location.hash = own ? `#/table/${made.table}/${own}`
        : `#/replay/${made.table}/0/all${chosen.pace === null ? "" : "/play"}`;
    } catch (error) {
      draw();
      showMistake(error.message);
    }
  }

  /** The digits of the seed: a number of 64 bits would lose some. */
  function seed() {
    return chosen.seed === null || chosen.seed === undefined ? null : String(chosen.seed);
  }

  /** A message about an option beside its field, with the label of the field; others along the bottom. */
  function showMistake(message) {
    const named = [...message.matchAll(/\b(\w+): /g)].find(([, name]) => form.querySelector(`#option_${name}, #${name}`));
    if (!named) {
      report(message);
      return;
    }
    report("");
    const [start, name] = named;
    const field = form.querySelector(`#option_${name}, #${name}`);
    if (field.closest("details")) form.querySelector("details").open = open = true;
    field.setAttribute("aria-invalid", "true");
    field.parentNode.append(element("span", { class: "mistake", role: "alert" },
      `${field.parentNode.firstChild.textContent}: ${message.slice(named.index + start.length)}`));
    field.focus();
  }

  function quickGame(id) {
    const game = offer.games.find((one) => one.id === id);
    Object.assign(chosen, { game: id, preset: game.presets[0]?.name ?? "", players: game.default_players, seats: {}, options: {}, seed: null });
    draw();
    begin(holders(game));
  }
}

/** The games with a picture, what they are, and buttons to begin at once. */
function gameCards(offer, quick) {
  return element("div", { class: "games" }, ...offer.games.map(({ id, title }) => element("section", { class: "panel game" },
    cover(id, offer.language),
    element("div", {}, element("h2", {}, title),
      word(`about_${id}`) === `about_${id}` ? null : element("p", {}, word(`about_${id}`)),
      element("p", { class: "row" },
        element("button", { type: "button", class: "primary", "data-quick": id, onclick: () => quick(id) }, word("quick_game")),
        offer.lessons.includes(id) ? element("a", { class: "button", href: `#/lesson/${id}` }, word("guided_game")) : null)))));
}

/** A lot of the game; part of the page, so that it has its colours and font. */
function cover(id, language) {
  const place = element("div", { class: "cover" });
  fetch(`api/covers/${id}?language=${language}`).then(async (answer) => { if (answer.ok) place.innerHTML = await answer.text(); })
    .catch(() => {}); // the page works without
  return place;
}

function valueName(value) {
  const key = `value_${String(value).replace(/\W/g, "_")}`;
  return word(key) === key ? String(value) : word(key);
}

function presetPlayers(game, name) {
  return game.presets.find((preset) => preset.name === name)?.players ?? game.default_players;
}

function presetName(name) {
  return word(`preset_${name}`) === `preset_${name}` ? name : word(`preset_${name}`);
}

/** The label of an option: that of the game, if its word means something else there. */
function optionName(game, name) {
  const key = [`option_${game.id}_${name}`, `option_${name}`].find((one) => word(one) !== one);
  return key ? word(key) : name.replaceAll("_", " ");
}

export function agentName(name) {
  const key = `agent_${name.replace(/\W/g, "_")}`;
  return word(key) === key ? name : word(key);
}

export function paceName(pace) {
  if (pace === null) return word("pace_paused");
  return pace === 0 ? word("pace_at_once") : word("pace_seconds", { seconds: pace.toLocaleString(document.documentElement.lang) });
}

function replays(language) {
  const open = async (event) => {
    const [file] = event.target.files;
    if (!file) return;
    try {
      const found = await request(`api/replays?language=${language}`, { method: "POST", body: await file.text() });
      location.hash = `#/replay/${found.replay}`;
    } catch (error) {
      report(error.message);
    }
  };
  return element("section", { class: "panel" }, element("h2", {}, word("open_replay")),
    labelled(word("replay_file"), element("input", { type: "file", id: "replay", accept: ".json", onchange: open })));
}
