// Section 8 of the interface: counts and bans after a restart.

import assert from "node:assert/strict";
import { test } from "node:test";
import { hammerUntilBanned } from "../harness/ban.ts";
import { startNode } from "../harness/node.ts";
import { assertError } from "./assertions.ts";

test("Counts and bans survive an orderly restart", async (t) => {
  const first = await startNode(t);
  const { key } = await first.createKey();
  const banned = await first.createKey({ plan: "enterprise", perMinute: 1, perDay: 100 });
  for (let i = 0; i < 7; i++) assert.equal((await first.call("GET", "/pets", { key })).status, 200);
  await hammerUntilBanned(first.call, banned.key);
  const before = await first.call("GET", "/usage", { key });
  await first.stop();

  const second = await startNode(t, first.environment);
  const after = await second.call("GET", "/usage", { key });
  assert.deepEqual(after.json, before.json);
  assert.equal(after.json.minute.remaining, 53);
  assertError(await second.call("GET", "/pets", { key: banned.key }), "key_banned");
});
