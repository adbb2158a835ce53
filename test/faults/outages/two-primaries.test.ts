// A frozen primary comes back as a second server that takes writes: it is not used, and a line names it, until its history is
// not an older one any more. Also a primary that refuses writes without being stopped.

import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { createCall } from "../../harness/clients/call.ts";
import { column } from "../../harness/clients/pages.ts";
import { findLost, startWriters, type Writers } from "../../harness/clients/writers.ts";
import type { LocalNode } from "../../harness/servers/node.ts";
import type { PostgresServer } from "../../harness/servers/postgres.ts";
import { startReplicatedNodes } from "../../harness/servers/replicated-nodes.ts";
import {
  disconnect,
  freeze,
  promote,
  rebuild,
  rejoin,
  requireStandby,
} from "../../harness/servers/replication.ts";

const AGAIN_MS = 5_000;
const AGAIN_MS_MAX = 30_000;
const DROP_ROUNDS = 3;
const DROPPED_MS = 1_000;
/** Nor are there new ones. */
const POLLS_WITHOUT = 30;

async function startScene(t: TestContext) {
  const settings = { METRICS_TOKEN: "a-token-for-metrics" };
  const { primary, standby, nodes } = await startReplicatedNodes(t, { settings });
  const hosts = [primary, standby].map(({ port }) => `127.0.0.1:${port}`);
  return { primary, standby, nodes, hosts };
}

/** Resolves to the time until every node has acknowledged a write that began now. */
async function untilWritten(t: TestContext, writers: Writers): Promise<number> {
  const startMs = performance.now();
  await writers.untilAllWrite(AGAIN_MS_MAX);
  const tookMs = performance.now() - startMs;
  t.diagnostic(`written again after ${Math.round(tookMs)} ms`);
  return tookMs;
}

/** One entry may have several lines. */
const readLog = ({ logged }: LocalNode) =>
  logged
    .join("")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));

type State = { status: string; reasons: string[]; servers: Array<{ host: string; role: string }> };

async function untilState({ url }: LocalNode, isDone: (state: State) => boolean): Promise<State> {
  for (;;) {
    const { status, json } = await createCall(url)("GET", "/readyz");
    if (status === 200 && isDone(json)) return json;
    await pause(25);
  }
}

test("A frozen primary is left for the promoted standby, and not used when it comes back before it has rejoined", {
  timeout: 200_000,
}, async (t) => {
  const { primary, standby, nodes, hosts } = await startScene(t);
  const [old] = hosts;
  const writers = await startWriters(t, nodes, { count: 16 });
  await requireStandby(primary);
  await writers.untilAllWrite(AGAIN_MS_MAX);
  const thaw = await freeze(primary);
  await promote(standby);
  const tookMs = await untilWritten(t, writers);

  await thaw();
  // Not waiting for a standby any more, it takes writes.
  await primary.admin("ALTER SYSTEM RESET synchronous_standby_names");
  await primary.admin("SELECT pg_reload_conf()");
  for (const node of nodes) {
    const { reasons, servers } = await untilState(node, ({ status }) => status === "degraded");
    assert.deepEqual(reasons, [`${old} takes writes too, and is not used`]);
    assert.deepEqual(
      servers,
      hosts.map((host) => ({ host, role: "primary" })),
    );
    const errors = readLog(node).filter(({ level }) => level >= 50);
    assert.deepEqual(
      errors.map(({ server }) => server),
      [old],
    );
    assert.match(errors[0].msg, /its history is older than another's: it is not used/);
  }
  await writers.untilAllWrite(AGAIN_MS_MAX);

  // Without the promoted one, the old one is no replacement.
  await standby.stop("SIGQUIT");
  await pause(1_500);
  const answer = await nodes[0].call("POST", "/pets", { body: { name: "x", categoryId: 1 } });
  assert.equal(answer.status, 503, answer.text);
  const { json } = await createCall(nodes[0].url)("GET", "/readyz");
  assert.match(json.message, new RegExp(`${old} takes writes, but its history is older than another's; `));
  await standby.start();
  await writers.untilAllWrite(AGAIN_MS_MAX);

  // With the history of the other, it is one.
  await rejoin(primary, standby);
  for (const node of nodes) await untilState(node, ({ status }) => status === "ready");
  await requireStandby(standby);
  await standby.stop("SIGQUIT");
  await promote(primary);
  const backMs = await untilWritten(t, writers);
  await writers.stop();
  for (const node of nodes) assert.deepEqual(await findLost(writers, (path) => node.call("GET", path)), []);
  assert.deepEqual([...writers.statuses.keys()].sort(), [201, 503]);
  const named = `animal_store_postgres_server{host="${old}",role="primary"} 1\n`;
  const metrics = createCall(nodes[0].url, "a-token-for-metrics");
  while (!(await metrics("GET", "/metrics")).text.includes(named)) await pause(25);
  assert.ok(tookMs < AGAIN_MS);
  assert.ok(backMs < AGAIN_MS);
});

test("A server with the older history is used when the other one has been made its standby", {
  timeout: 120_000,
}, async (t) => {
  const { primary, standby, nodes, hosts } = await startScene(t);
  const [node] = nodes;
  const create = (name: string) => node.call("POST", "/pets", { body: { name, categoryId: 1 } });
  assert.equal((await create("kept")).status, 201);
  await disconnect(standby);
  await promote(standby);
  const hasLost = new RegExp(`${hosts[0]} takes writes too, and is not used`);
  await untilState(node, ({ reasons }) => hasLost.test(reasons.join()));
  while ((await create("lost")).status !== 201) await pause(20);

  await rebuild(standby, primary);
  while ((await create("new")).status !== 201) await pause(20);
  await untilState(node, ({ status }) => status === "ready");
  assert.deepEqual(column((await node.call("GET", "/pets")).json, "name"), ["kept", "new"]);
  // The node that was the first to compare the server names what is lost.
  const errors = nodes.map((each) => readLog(each).findLast(({ level }) => level >= 50)?.msg);
  assert.match(errors.join("\n"), /changes 2 to 2 of the history/);
});

test("A primary that refuses writes is left until it takes them again", { timeout: 120_000 }, async (t) => {
  const { primary, nodes, hosts } = await startScene(t);
  const [node] = nodes;
  const setReadOnly = async (value: string) => {
    await primary.admin(`ALTER ROLE admin SET default_transaction_read_only = ${value}`);
  };
  const create = () => node.call("POST", "/pets", { body: { name: "Rex", categoryId: 1 } });
  assert.equal((await create()).status, 201);
  await setReadOnly("on");
  // Sessions from before still write. A new one says that it may not.
  await primary.admin(
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'animal-store%'",
  );
  while ((await create()).status !== 503) await pause(20);
  while ((await node.call("GET", "/pets/1")).status !== 503) await pause(20);
  const named = `${hosts[0]} is a standby; ${hosts[1]} is a standby`;
  const readiness = () => createCall(node.url)("GET", "/readyz");
  while (!(await readiness()).json.message?.includes(named)) await pause(25);
  await primary.admin("BEGIN READ WRITE; ALTER ROLE admin RESET default_transaction_read_only; COMMIT");
  while ((await create()).status !== 201) await pause(20);
});

test("Connections to a server that takes no writes any more are dropped without any request, mostly within a second", {
  timeout: 120_000,
}, async (t) => {
  const { primary, nodes } = await startScene(t);
  const tookMs: number[] = [];
  for (let round = 0; round < DROP_ROUNDS; round++) {
    await Promise.all(nodes.map((node) => untilState(node, ({ status }) => status === "ready")));
    assert.ok((await countSessions(primary)) > 0);
    await setReadOnly(primary, "on");
    const startMs = performance.now();
    let droppedMs = startMs;
    for (let polls = 0; polls < POLLS_WITHOUT; polls++) {
      if ((await countSessions(primary)) > 0) polls = 0;
      if (polls === 0) droppedMs = performance.now();
      await pause(10);
    }
    tookMs.push(Math.round(droppedMs - startMs));
    await setReadOnly(primary, "off");
  }
  t.diagnostic(`dropped after ${tookMs.join(", ")} ms`);
  assert.ok((tookMs.toSorted((a, b) => a - b)[Math.floor(DROP_ROUNDS / 2)] ?? 0) < DROPPED_MS);
});

/** Takes effect in open sessions too. */
async function setReadOnly(server: PostgresServer, state: "on" | "off"): Promise<void> {
  await server.admin(`ALTER SYSTEM SET default_transaction_read_only = ${state}`);
  await server.admin("SELECT pg_reload_conf()");
}

/** Counts the connections of the pools, not those that look at servers. */
async function countSessions(server: PostgresServer): Promise<number> {
  const sql = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'animal-store'";
  return Number((await server.admin(sql)).rows[0].count);
}
