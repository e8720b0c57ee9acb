// Every module of the page loads where there is no page: its state is apart from it.

import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { register } from "node:module";
import test from "node:test";

const STATIC = new URL("../../../table/w51_table/web/static/", import.meta.url);
// Served beside them.
const PLAYER = new URL("../../../lab/w51_lab/replay_viewer/page/player.js", import.meta.url);

const HOOK = `export const resolve = (name, context, next) =>
  next(name === "./player.js" ? ${JSON.stringify(PLAYER.href)} : name, context);`;
register(`data:text/javascript,${encodeURIComponent(HOOK)}`);

test("every module but the one that begins the page loads in Node", async () => {
  const names = readdirSync(STATIC).filter((name) => name.endsWith(".js") && name !== "app.js");
  const loaded = await Promise.all(names.map((name) => import(new URL(name, STATIC).href)));
  assert.ok(loaded.length > 40 && loaded.every((module) => Object.keys(module).length));
});
