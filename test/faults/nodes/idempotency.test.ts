// Idempotency-Key across nodes and broken connections.

import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { readConfig } from "../../../src/config/config.ts";
import { openDatabase } from "../../../src/engines.ts";
import { type Answer, call } from "../../harness/clients/call.ts";
import { freshEngines } from "../../harness/runner/combination.ts";
import { PATIENT_DATABASE_MS } from "../../harness/runner/patience.ts";
import { createTestDatabase } from "../../harness/servers/databases.ts";
import { ADMIN_API_KEY, type LocalNode, startNode } from "../../harness/servers/node.ts";
import { startProxy } from "../../harness/servers/proxy.ts";
import { RECEIVER_SETTINGS, startReceiver } from "../../harness/servers/receiver.ts";
import { startService } from "../../harness/servers/service.ts";

const BODY = { name: "Rex", categoryId: 3 };
const keyed = (key: string) => ({ key: ADMIN_API_KEY, body: BODY, headers: { "idempotency-key": key } });

test("Twenty POSTs at once with one Idempotency-Key on three nodes make one animal", async (t) => {
  const environment = await freshEngines(t, "postgres+redis");
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

/** A webhook whose receiver does not respond, and a test of it with an Idempotency-Key. */
async function createStuckWebhook(t: TestContext, node: Pick<LocalNode, "call">) {
  const receiver = await startReceiver(t, () => {});
  const { json } = await node.call("POST", "/webhooks", { body: { url: receiver.url } });
  const headers = { "idempotency-key": "once" };
  const sendFrom = ({ call }: Pick<LocalNode, "call">) =>
    call("POST", `/webhooks/${json.id}/test`, { headers });
  return { receiver, sendFrom };
}

test("Twenty tests of a webhook with one Idempotency-Key on two nodes reach its receiver once", async (t) => {
  const environment = { ...RECEIVER_SETTINGS, DATABASE_URL: await createTestDatabase(t) };
  const nodes = [await startNode(t, environment), await startNode(t, environment)] as const;
  const { receiver, sendFrom } = await createStuckWebhook(t, nodes[0]);
  receiver.react((response) => void setTimeout(() => response.writeHead(204).end(), 500));
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, index) => sendFrom(nodes[index % 2 ? 0 : 1])),
  );
  const done = answers.filter(({ status }) => status === 200);
  assert.equal(new Set(done.map(({ text }) => text)).size, 1);
  const rest = answers.filter(({ status }) => status !== 200);
  assert.ok(rest.every(({ json }) => json.code === "idempotency_in_progress"));
  for (const node of nodes) assert.equal((await sendFrom(node)).text, done[0]?.text);
  assert.equal(receiver.received.length, 1);
});

for (const [engine, makeEnvironment] of Object.entries(engines))
  test(`A node that is killed during the work blocks its Idempotency-Key for two minutes, on ${engine}`, async (t) => {
    const environment = { ...RECEIVER_SETTINGS, ...(await makeEnvironment(t)), ADMIN_API_KEY };
    const killed = await startService(t, environment);
    const { receiver, sendFrom } = await createStuckWebhook(t, killed);
    const lost = sendFrom(killed).catch((error: Error) => error);
    await receiver.until(1);
    await killed.stop("SIGKILL");
    assert.ok((await lost) instanceof Error);
    receiver.react(204);
    const node = await startNode(t, { ...killed.environment, ...environment });
    assert.equal((await sendFrom(node)).json.code, "idempotency_in_progress");
    // Two minutes later.
    const { DATABASE_URL = "" } = node.environment;
    const db = await openDatabase(readConfig({ DATABASE_URL }), false, { deadlineMs: PATIENT_DATABASE_MS });
    await db.transaction((tx) =>
      tx.run("UPDATE idempotency_keys SET created_at_ms = created_at_ms - 120000"),
    );
    await db.close();
    assert.equal((await sendFrom(node)).status, 200);
    assert.equal((await sendFrom(node)).headers["idempotent-replayed"], "true");
    assert.equal(receiver.received.length, 2);
  });
