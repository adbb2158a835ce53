// A standby that has not received the newest changes is promoted: before it is written to, the feed begins a new epoch, so
// no client gets another event under a number that it has seen.

import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { createCall } from "../../harness/clients/call.ts";
import { openEventStream } from "../../harness/clients/event-stream.ts";
import { column } from "../../harness/clients/pages.ts";
import { ADMIN_API_KEY, type LocalNode, startNode } from "../../harness/servers/node.ts";
import { startPostgres } from "../../harness/servers/postgres.ts";
import { startProxy } from "../../harness/servers/proxy.ts";
import { startRedis } from "../../harness/servers/redis.ts";
import { disconnect, promote, startStandby, urlOfAll } from "../../harness/servers/replication.ts";

const LOST = 3;

/** Two nodes, each with its own way to both servers. Both have the same list in their cache. */
async function startScene(t: TestContext) {
  const primary = await startPostgres(t);
  const database = new URL(await primary.createDatabase()).pathname.slice(1);
  const standby = await startStandby(t, primary);
  const redis = await startRedis(t);
  const start = async () => {
    const ways = [await startProxy(t, primary.port), await startProxy(t, standby.port)] as const;
    const environment = {
      DATABASE_URL: urlOfAll(ways, database),
      REDIS_URL: redis.url,
      REDIS_TIMEOUT_MS: "500",
    };
    return {
      node: await startNode(t, environment, { isPatient: false }),
      toPrimary: ways[0],
      toStandby: ways[1],
    };
  };
  const [one, two] = [await start(), await start()];
  await create(one.node, "kept");
  for (const { node } of [one, two]) assert.deepEqual(await listNames(node), ["kept"]);
  return { primary, standby, redis, one, two };
}

/** Tries again while there is no database. Resolves to the number of the change. */
async function create(node: LocalNode, name: string): Promise<void> {
  for (;;) {
    const { status, text } = await node.call("POST", "/pets", {
      body: { name, categoryId: 1, status: "sold" },
    });
    if (status === 201) return;
    assert.equal(status, 503, text);
    await pause(20);
  }
}

async function listNames(node: LocalNode): Promise<string[]> {
  for (;;) {
    const { status, json, text } = await node.call("GET", "/pets?status=sold&limit=100");
    if (status === 200) return column(json, "name");
    assert.equal(status, 503, text);
    await pause(20);
  }
}

interface Feed {
  epoch: string;
  number: number;
  names: string[];
}

/** The newest cursor, and the names of all events. */
async function readFeed(node: LocalNode): Promise<Feed> {
  const { headers, json } = await node.call("GET", "/events?limit=100");
  const [, epoch = "", number = ""] = /after=(\w+)-(\d+)/.exec(headers.link ?? "") ?? [];
  return {
    epoch,
    number: Number(number),
    names: json.map(({ data }: { data: { pet: { name: string } } }) => data.pet.name),
  };
}

async function createLost(node: LocalNode): Promise<Feed> {
  for (let count = 1; count <= LOST; count++) await create(node, `lost ${count}`);
  return readFeed(node);
}

function findErrors({ logged }: LocalNode): string[] {
  // One entry may have several lines.
  const lines = logged.join("").trim().split("\n");
  return lines
    .map((line) => JSON.parse(line))
    .filter(({ level }) => level >= 50)
    .map(({ msg }) => msg);
}

/** The log has one error line, with the lost numbers. */
function assertNamed(node: LocalNode, { number }: Feed): void {
  const [line = "", ...others] = findErrors(node);
  assert.ok(line.includes(`changes ${number - LOST + 1} to ${number} of the history`), line);
  assert.deepEqual(others, []);
}

async function assertReset(node: LocalNode, before: Feed): Promise<void> {
  for (const number of [before.number, before.number - LOST]) {
    const { status, json } = await node.call("GET", `/events?after=${before.epoch}-${number}`);
    assert.deepEqual([status, json.code], [410, "feed_reset"]);
  }
  assert.ok(
    (await listNames(node)).every((name) => !name.startsWith("lost")),
    "no page from before",
  );
}

/** A stream and a waiting request from before. Both have to end. */
async function openReaders({ url }: LocalNode) {
  const stream = await openEventStream(`${url}/v1/events/stream?after=now`, { key: ADMIN_API_KEY });
  await stream.next();
  const cursor = stream.lastId();
  const waiting = createCall(`${url}/v1`, ADMIN_API_KEY)("GET", `/events?after=${cursor}&wait=25`);
  return { stream, waiting };
}

test(`A promoted standby lacks ${LOST} changes that only Redis knows: no number gets two meanings`, {
  timeout: 200_000,
}, async (t) => {
  const { primary, standby, one, two } = await startScene(t);
  const { stream, waiting } = await openReaders(two.node);
  await disconnect(standby);
  two.toPrimary.set("freeze");
  const before = await createLost(one.node);
  await one.node.stop();
  await primary.stop("SIGQUIT");
  await promote(standby);

  await create(two.node, "first");
  const after = await readFeed(two.node);
  assert.deepEqual([after.number, after.names], [before.number - LOST + 1, ["kept", "first"]]);
  assert.notEqual(after.epoch, before.epoch);
  await assertReset(two.node, before);
  await stream.ended;
  // 503 if it has asked the frozen primary until its deadline.
  assert.ok([410, 503].includes((await waiting).status));
  assertNamed(two.node, before);
});

test(`A promoted standby lacks ${LOST} changes that one node knows, and another writes first: no number gets two meanings`, {
  timeout: 200_000,
}, async (t) => {
  const { primary, standby, redis, one, two } = await startScene(t);
  await disconnect(standby);
  await redis.stop();
  two.toPrimary.set("freeze");
  one.toStandby.set("freeze");
  const before = await createLost(one.node);
  await primary.stop("SIGQUIT");
  await promote(standby);

  for (let count = 0; count <= LOST; count++) await create(two.node, `other ${count}`);
  const passed = await readFeed(two.node);
  assert.deepEqual([passed.epoch, passed.number > before.number], [before.epoch, true], "it cannot know");
  one.toStandby.set("pass");
  await create(one.node, "first");
  const after = await readFeed(one.node);
  assert.notEqual(after.epoch, before.epoch);
  while ((await readFeed(two.node)).epoch !== after.epoch) await pause(20);
  for (const { node } of [one, two]) await assertReset(node, before);
  assertNamed(one.node, before);
});
