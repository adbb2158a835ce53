// Idempotency-Key across nodes and broken connections.

import assert from "node:assert/strict";
import { test } from "node:test";
import { type Answer, call } from "../harness/call.ts";
import { createTestDatabase } from "../harness/databases.ts";
import { ADMIN_API_KEY, type LocalNode, startNode } from "../harness/node.ts";
import { PATIENT_MS } from "../harness/patience.ts";
import { startProxy } from "../harness/proxy.ts";
import { startRedis } from "../harness/redis.ts";

const BODY = { name: "Rex", categoryId: 3 };
const keyed = (key: string) => ({ key: ADMIN_API_KEY, body: BODY, headers: { "idempotency-key": key } });

test("Twenty POSTs at once with one Idempotency-Key on three nodes make one animal", async (t) => {
  const environment = {
    DATABASE_URL: await createTestDatabase(t),
    REDIS_URL: (await startRedis(t)).url,
    REDIS_TIMEOUT_MS: PATIENT_MS,
  };
  const nodes = await Promise.all([1, 2, 3].map(() => startNode(t, environment)));
  for (let round = 0; round < 5; round++) {
    const post = (_: unknown, index: number) =>
      call("POST", `${nodes[index % 3]?.url}/v1/pets`, keyed(`round ${round}`.replace(" ", "-")));
    const answers = await Promise.all(Array.from({ length: 20 }, post));
    const done = answers.filter(({ status }) => status === 201);
    assert.equal(new Set(done.map(({ text }) => text)).size, 1);
    assert.equal(done.filter(({ headers }) => headers["idempotent-replayed"] === undefined).length, 1);
    const rest = answers.filter(({ status }) => status !== 201);
    assert.ok(rest.every(({ json }) => json.code === "idempotency_in_progress"));
    const { json } = await call("GET", `${nodes[0]?.url}/v1/store/inventory`, { key: ADMIN_API_KEY });
    assert.equal(json.available, round + 1);
  }
});

const engines = {
  SQLite: async () => ({}),
  PostgreSQL: async (t: Parameters<typeof createTestDatabase>[0]) => ({
    DATABASE_URL: await createTestDatabase(t),
  }),
};
for (const [engine, environment] of Object.entries(engines)) {
  test(`A retry after the client's connection was cut right after COMMIT replays the first answer on ${engine}`, async (t) => {
    const node = await startNode(t, await environment(t));
    const proxy = await startProxy(t, node.port);
    // The response is sent after COMMIT, and no byte of it passes the proxy.
    proxy.cutAfterBytes(0);
    const url = `http://127.0.0.1:${proxy.port}/v1/pets`;
    await assert.rejects(call("POST", url, keyed("cut")), /ECONNRESET|socket hang up/);
    proxy.cutAfterBytes(undefined);
    await replaysOnce(node, url, "cut");
  });
}

test("A retry after the database's connection was cut right after COMMIT replays the first answer", async (t) => {
  const database = new URL(await createTestDatabase(t));
  const proxy = await startProxy(t, Number(database.port));
  database.port = String(proxy.port);
  const node = await startNode(t, { DATABASE_URL: database.href });
  proxy.cutAfter("INSERT INTO idempotency_keys", "COMMIT\0");
  const unknown = await call("POST", `${node.url}/v1/pets`, keyed("unknown"));
  assert.equal(unknown.json.code, "unavailable", "the outcome is unknown");
  await replaysOnce(node, `${node.url}/v1/pets`, "unknown");
});

/** Repeats the POST; right after a cut, the claim of the first one may still be held. */
async function replaysOnce(node: LocalNode, url: string, key: string): Promise<void> {
  let again: Answer;
  do again = await call("POST", url, keyed(key));
  while (again.json.code === "idempotency_in_progress");
  assert.equal(again.status, 201, again.text);
  assert.equal(again.headers["idempotent-replayed"], "true");
  assert.deepEqual(again.json, { id: 1, ...BODY, status: "available" });
  assert.deepEqual((await node.call("GET", "/pets")).json, [again.json]);
}
