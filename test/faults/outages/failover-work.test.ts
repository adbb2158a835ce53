// A primary is killed or freezes while two nodes write, deliver webhooks, and serve streams and long polls: once the standby is
// promoted, all of this goes on by itself, and no event of an acknowledged change is missing.

import assert from "node:assert/strict";
import type { ServerResponse } from "node:http";
import { type TestContext, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { systemClock } from "../../../src/domain/basics/clock.ts";
import { runInHost } from "../../harness/clients/commands.ts";
import { openEventStream } from "../../harness/clients/event-stream.ts";
import { column, nextPath } from "../../harness/clients/pages.ts";
import { startWriters } from "../../harness/clients/writers.ts";
import { askPostgres } from "../../harness/servers/databases.ts";
import { ADMIN_API_KEY, type LocalNode } from "../../harness/servers/node.ts";
import type { PostgresServer } from "../../harness/servers/postgres.ts";
import {
  RECEIVER_SETTINGS,
  type Received,
  type Receiver,
  startReceiver,
} from "../../harness/servers/receiver.ts";
import { startReplicatedNodes } from "../../harness/servers/replicated-nodes.ts";
import { freeze, promote, requireStandby } from "../../harness/servers/replication.ts";

const AGAIN_MS_MAX = 30_000;
/** Writers that leave the receiver and the followers time to keep up. */
const LOAD = { count: 4, everyMs: 20 };
/** Longer than a claim lasts. */
const CLAIM_OVER_MS = 61_000;
const AT_ONCE = 40;
const FRESH_ROUNDS = 20;
const REX = { name: "Rex", categoryId: 1 };

/** The time of all nodes: moved, so that no test waits until a claim ends, or stopped, so that caches do not expire. */
function createTestClock() {
  let aheadMs = 0;
  let stoppedMs: number | undefined;
  const monotonicMs = () => stoppedMs ?? systemClock.monotonicMs() + aheadMs;
  return {
    clock: { nowMs: () => systemClock.nowMs() + aheadMs, monotonicMs },
    advance(ms: number) {
      aheadMs += ms;
    },
    stop() {
      stoppedMs = monotonicMs();
    },
  };
}

async function startScene(t: TestContext) {
  const { clock, ...time } = createTestClock();
  const pair = await startReplicatedNodes(t, { settings: RECEIVER_SETTINGS, clock });
  await requireStandby(pair.primary);
  return { ...pair, time };
}

/** Sends the request again while there is no database. */
async function until(node: LocalNode, status: number, method: string, path: string, body?: object) {
  for (;;) {
    const answer = await node.call(method, path, body && { body });
    if (answer.status === status) return answer;
    assert.equal(answer.status, 503, answer.text);
    await pause(20);
  }
}

async function createPet(node: LocalNode): Promise<number> {
  return (await until(node, 201, "POST", "/pets", REX)).json.id;
}

async function readCursor(node: LocalNode): Promise<string> {
  return /after=(\w+-\d+)/.exec(nextPath(await until(node, 200, "GET", "/events?after=now")))?.[1] ?? "";
}

type Event = Received["event"];

/** A client that follows the events of a node with long polls, until `isDone`. */
async function poll(node: LocalNode, query: string, isDone: (last?: Event) => boolean): Promise<Event[]> {
  const events: Event[] = [];
  for (let path = `/events?${query}&limit=100&wait=25`; !isDone(events.at(-1)); ) {
    const page = await until(node, 200, "GET", path);
    events.push(...page.json);
    path = nextPath(page);
  }
  return events;
}

/** A webhook for deleted animals, whose receiver answers when the test says so. */
async function holdDeliveries(t: TestContext, node: LocalNode) {
  const open: ServerResponse[] = [];
  const receiver = await startReceiver(t, (response) => void open.push(response));
  const { id } = await createWebhook(node, receiver, ["pet.deleted"]);
  const answerOne = () => open.shift()?.writeHead(204).end();
  return { id, receiver, answerOne };
}

async function createWebhook(node: LocalNode, { url }: Receiver, types: string[]): Promise<{ id: number }> {
  return (await until(node, 201, "POST", "/webhooks", { url, types })).json;
}

/** Resolves when the receiver has an event with each of these numbers. */
async function untilReceived({ received, until }: Receiver, numbers: number[]): Promise<void> {
  const isMissing = () => {
    const arrived = new Set(received.map(({ event }) => event.number));
    return numbers.some((number) => !arrived.has(number));
  };
  while (isMissing()) await until(received.length + 1);
}

const range = (after: number, last: number) =>
  Array.from({ length: last - after }, (_, index) => after + 1 + index);

/** The returned function ends what would delay the end of the test. */
const LOSSES: Record<string, (primary: PostgresServer) => Promise<() => void>> = {
  "is killed": async (primary) => {
    await primary.stop("SIGQUIT");
    return () => {};
  },
  freezes: freeze,
};

for (const [what, lose] of Object.entries(LOSSES))
  test(
    `After a primary ${what} under load and its standby is promoted, everything goes on by itself`,
    {
      timeout: 200_000,
    },
    (t) => check(t, lose),
  );

async function check(t: TestContext, lose: (primary: PostgresServer) => Promise<() => void>): Promise<void> {
  const { primary, standby, database, nodes, time } = await startScene(t);
  const [one, two] = nodes;
  const receiver = await startReceiver(t);
  await createWebhook(one, receiver, ["pet.created"]);
  const held = await holdDeliveries(t, two);
  const [first, second, third] = [await createPet(one), await createPet(two), await createPet(one)];
  for (const id of [first, second]) await until(one, 204, "DELETE", `/pets/${id}`);
  await held.receiver.until(2);

  const cursor = await readCursor(one);
  const before = Number(cursor.split("-")[1]);
  const open = ({ url }: LocalNode) =>
    openEventStream(`${url}/v1/events/stream?after=${cursor}`, { key: ADMIN_API_KEY });
  const streams = [await open(one), await open(two)];
  for (const stream of streams) t.after(stream.close);
  const isLast = (event?: Event) => event?.type === "pet.deleted";
  const polled = nodes.map((node) => poll(node, `after=${cursor}`, isLast));
  const waiting = nodes.map((node) => poll(node, `after=${cursor}&type=pet.deleted`, isLast));
  const writers = await startWriters(t, nodes, LOAD);
  await writers.untilAllWrite(AGAIN_MS_MAX);

  const release = await lose(primary);
  held.answerOne();
  for (const node of nodes) assert.equal((await node.call("POST", "/pets", { body: REX })).status, 503);
  const promotedMs = Date.now();
  await promote(standby);
  await writers.untilAllWrite(AGAIN_MS_MAX);
  await writers.untilAllWrite(AGAIN_MS_MAX);
  await writers.stop();
  await until(two, 204, "DELETE", `/pets/${third}`);
  const last = Number((await readCursor(two)).split("-")[1]);
  const events = await poll(one, "", (event) => event?.number === last);

  await t.test("the feed has the event of every acknowledged change, and no gap", () => {
    assert.deepEqual(column(events, "number"), range(0, last));
    const created = new Set(
      events.filter(({ type }) => type === "pet.created").map(({ data }) => data.pet.id),
    );
    assert.deepEqual(
      [...writers.acknowledged.keys()].filter((id) => !created.has(id)),
      [],
    );
  });

  await t.test("the stream of each node stays open, and has every event once and in order", async () => {
    for (const stream of streams) assert.deepEqual(await stream.numbers(last - before), range(before, last));
  });

  await t.test("long polls of each node have every event once and in order", async () => {
    for (const each of polled) assert.deepEqual(column(await each, "number"), range(before, last));
  });

  await t.test("a request that waits on each node gets its event", async () => {
    for (const each of waiting) assert.deepEqual(column(await each, "number"), [last]);
  });

  await t.test(
    "attempts that end while there is no database, or after it, are recorded and not repeated",
    async () => {
      held.answerOne();
      const path = `/webhooks/${held.id}/deliveries?status=delivered`;
      const read = async () => (await two.call("GET", path)).json;
      while ((await read()).length < 2) await pause(20);
      assert.deepEqual(column(await read(), "attempts"), [1, 1]);
    },
  );

  await t.test("every event reaches its webhook, as it is in the feed", async () => {
    // What a node had claimed in a transaction that was cut off is claimed again.
    time.advance(CLAIM_OVER_MS);
    const created = events.filter(({ type }) => type === "pet.created");
    await untilReceived(receiver, column(created, "number"));
    const inFeed = new Map(created.map((event) => [event.id, event]));
    for (const { event, headers } of receiver.received) {
      assert.equal(headers["webhook-id"], event.id);
      assert.deepEqual(event, inFeed.get(event.id));
    }
    await held.receiver.until(3);
    held.answerOne();
  });

  await t.test("both nodes report that they are there", async () => {
    const seen = `SELECT 1 FROM nodes WHERE seen_at_ms > ${promotedMs}`;
    while ((await askPostgres(standby.urlOf(database), seen)).rows.length < nodes.length) await pause(20);
  });

  await t.test("writes and reads that come together are answered", async () => {
    const together = (ask: (node: LocalNode) => Promise<{ status: number }>) =>
      Promise.all(Array.from({ length: AT_ONCE }, (_, index) => ask(nodes[index % 2] as LocalNode)));
    const created = await together((node) => node.call("POST", "/pets", { body: REX }));
    assert.deepEqual(new Set(column(created, "status")), new Set([201]));
    const [id] = writers.acknowledged.keys();
    const read = await together((node) => node.call("GET", `/pets/${id}`));
    assert.deepEqual(new Set(column(read, "status")), new Set([200]));
  });

  time.stop();
  await t.test("a list in a node's cache is fresh after a change on the other", async () => {
    for (let round = 0; round < FRESH_ROUNDS; round++) {
      const [writer, reader] = round % 2 === 0 ? [one, two] : [two, one];
      const name = `fresh ${round}`;
      const { json } = await until(writer, 201, "POST", "/pets", { name, categoryId: 1, status: "sold" });
      const list = () => reader.call("GET", "/pets?status=sold&limit=100");
      assert.ok(column((await list()).json, "id").includes(json.id));
    }
  });

  await t.test("each node notices a key that a command has revoked without Redis", async () => {
    const { id, key } = await one.createKey({ access: "browse" });
    for (const node of nodes) assert.equal((await node.call("GET", "/usage", { key })).status, 200);
    const { REDIS_URL: _, ...withoutRedis } = one.environment;
    assert.equal((await runInHost(["keys", "revoke", String(id)], withoutRedis)).code, 0);
    for (const node of nodes)
      while ((await node.call("GET", "/usage", { key })).status !== 401) await pause(20);
  });
  release();
}
