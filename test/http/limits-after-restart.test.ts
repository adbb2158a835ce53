// Section 8 of the interface: counts, bans and usage after a restart.

import assert from "node:assert/strict";
import { test } from "node:test";
import { hammerUntilBanned } from "../harness/clients/ban.ts";
import { column } from "../harness/clients/pages.ts";
import { startNode } from "../harness/servers/node.ts";
import { assertError } from "./assertions.ts";

test("Counts, bans and usage survive an orderly restart", async (t) => {
  const first = await startNode(t);
  const { key, id } = await first.createKey();
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

  const { lastDays, minute } = (await second.call("GET", `/keys/${id}/usage?days=2`)).json;
  assert.equal(minute.remaining, 53);
  const answers = lastDays.flatMap((day: { answers: unknown[] }) => day.answers);
  const uses = [
    { operation: "getUsage", status: 200, count: 2 },
    { operation: "listPets", status: 200, count: 7 },
  ];
  // Two days if midnight was between.
  if (answers.length === 2) assert.deepEqual(answers, uses);
  else assert.equal(sumOf(answers), 9);

  const listed = (await second.call("GET", "/keys")).json as Array<{ id: number; ban?: { reset: number } }>;
  const bans = listed.filter(({ ban }) => ban !== undefined);
  assert.deepEqual(column(bans, "id"), [banned.id]);
  const shown = (await second.call("GET", `/keys/${banned.id}`)).json;
  assert.deepEqual([shown.ban, shown.usage.ban], [bans[0]?.ban, bans[0]?.ban]);
  const renamed = await second.call("PATCH", `/keys/${banned.id}`, { body: { name: "Still banned" } });
  assert.deepEqual(renamed.json.ban, shown.ban);
  const lifted = await second.call("POST", `/keys/${banned.id}/unban`);
  assert.deepEqual([lifted.status, lifted.json.ban], [200, undefined]);
});

function sumOf(answers: Array<{ count: number }>): number {
  return answers.reduce((sum, { count }) => sum + count, 0);
}
