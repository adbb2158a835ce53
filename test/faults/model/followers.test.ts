// Followers of the feed on three nodes, with restarts and a store that is set back: each sees every event once, or gets 410.

import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import fc from "fast-check";
import pino from "pino";
import { readConfig } from "../../../src/config/config.ts";
import { createService, type Service } from "../../../src/service/service.ts";
import { createEpoch } from "../../../src/storage/stores/basics/versions.ts";
import { createCall } from "../../harness/clients/call.ts";
import { type EventStreamClient, openEventStream } from "../../harness/clients/event-stream.ts";
import { PATIENT_DATABASE_MS } from "../../harness/runner/patience.ts";
import { ADMIN_KEY } from "../../harness/servers/app.ts";
import { askPostgres, createTestDatabase } from "../../harness/servers/databases.ts";

const RUNS = Number(process.env.MODEL_RUNS ?? 3);
const NODES = 3;
const TIMEOUTS = { headersMs: 10_000, requestMs: 15_000, checkEveryMs: 2_000, heartbeatMs: 50 };

interface SeenEvent {
  number: number;
  type: string;
  data: { pet?: { id: number }; order?: { id: number; petId: number } };
}

interface World {
  url(node: number): string;
  keys: string[];
  /** Which key has placed an order. */
  owners: Map<number, string>;
  /** All events of each epoch. */
  histories: Map<string, SeenEvent[]>;
  restart(node: number): Promise<void>;
  /** As if a dump were restored that lacks the newest changes. */
  setBack(lost: number): Promise<void>;
  close(): Promise<void>;
}

async function openWorld(t: TestContext): Promise<World> {
  const databaseUrl = await createTestDatabase(t);
  const config = readConfig({ DATABASE_URL: databaseUrl, PORT: "0", ADMIN_API_KEY: ADMIN_KEY });
  const nodes: Array<{ service: Service; url: string }> = [];
  const start = async (node: number) => {
    const service = await createService(config, {
      log: pino({ level: "silent" }),
      timeouts: TIMEOUTS,
      databaseMs: PATIENT_DATABASE_MS,
    });
    nodes[node] = { service, url: `${await service.listen()}/v1` };
  };
  const url = (node: number) => nodes[node]?.url ?? "";
  for (let node = 0; node < NODES; node++) await start(node);
  const newKey = async (access: string) => {
    const body = { name: access, plan: "enterprise", access };
    return (await createCall(url(0), ADMIN_KEY)("POST", "/keys", { body })).json.key;
  };
  const keys = [ADMIN_KEY, await newKey("browse"), await newKey("adopt"), await newKey("adopt")];
  const histories: World["histories"] = new Map();
  return {
    url,
    keys,
    owners: new Map(),
    histories,
    async restart(node) {
      await nodes[node]?.service.stop();
      await start(node);
    },
    async setBack(lost) {
      await keepHistory(url(0), histories);
      await Promise.all(nodes.map(({ service }) => service.stop()));
      await askPostgres(
        databaseUrl,
        `DELETE FROM history WHERE number > (SELECT max(number) FROM history) - ${lost}`,
      );
      await askPostgres(databaseUrl, `UPDATE store SET epoch = '${createEpoch()}'`);
      for (let node = 0; node < NODES; node++) await start(node);
    },
    close: async () => void (await Promise.all(nodes.map(({ service }) => service.stop()))),
  };
}

/** Reads the whole feed of the current epoch. */
async function keepHistory(url: string, histories: World["histories"]): Promise<string> {
  const all: SeenEvent[] = [];
  let cursor = "";
  for (;;) {
    const after = cursor === "" ? "" : `&after=${cursor}`;
    const { json, headers } = await createCall(url, ADMIN_KEY)("GET", `/events?limit=100${after}`);
    cursor = cursorOf(headers.link);
    all.push(...json);
    if (json.length === 0) break;
  }
  const [epoch = ""] = cursor.split("-");
  histories.set(epoch, all);
  return cursor;
}

function cursorOf(link = ""): string {
  return /after=([0-9a-f]+-\d+)/.exec(link)?.[1] ?? "";
}

interface Follower {
  key: number;
  query: string;
  isVisible(event: SeenEvent, world: World): boolean;
}

const isOrder = ({ type }: SeenEvent) => type.startsWith("order.");
const FOLLOWERS: Follower[] = [
  { key: 0, query: "", isVisible: () => true },
  { key: 1, query: "", isVisible: (event) => !isOrder(event) },
  {
    key: 2,
    query: "&type=order.*,pet.created",
    isVisible: (event, { owners, keys }) =>
      event.type === "pet.created" || (isOrder(event) && owners.get(event.data.order?.id ?? 0) === keys[2]),
  },
  { key: 0, query: "&petId=1", isVisible: ({ data }) => (data.pet?.id ?? data.order?.petId) === 1 },
];

/** Events a follower has seen between two cursors of one epoch. */
interface Segment {
  from: string;
  to: string;
  numbers: number[];
}

function check(segments: Segment[], { isVisible }: Follower, world: World): void {
  for (const { from, to, numbers } of segments) {
    const [epoch = "", first] = from.split("-");
    const [sameEpoch, last] = to.split("-");
    assert.equal(epoch, sameEpoch);
    const expected = (world.histories.get(epoch) ?? [])
      .filter(({ number }) => number > Number(first) && number <= Number(last))
      .filter((event) => isVisible(event, world))
      .map(({ number }) => number);
    assert.deepEqual(numbers, expected, `from ${from} to ${to}`);
  }
}

/** Follows by pages, on any node. */
function createPoller(world: World, follower: Follower) {
  const segments: Segment[] = [];
  const key = world.keys[follower.key] ?? "";
  async function poll(node: number, limit: number): Promise<boolean> {
    const segment = segments.at(-1);
    const after = segment?.to ?? "now";
    const answer = await createCall(world.url(node), key)(
      "GET",
      `/events?after=${after}&limit=${limit}${follower.query}`,
    );
    if (answer.status === 410) {
      assert.equal(answer.json.code, "feed_reset");
      segments.push({ from: "", to: "now", numbers: [] });
      return false;
    }
    assert.equal(answer.status, 200, answer.text);
    const to = cursorOf(answer.headers.link);
    if (segment === undefined || segment.from === "") {
      if (segment !== undefined) segments.pop();
      segments.push({ from: to, to, numbers: [] });
      return false;
    }
    segment.numbers.push(...answer.json.map(({ number }: SeenEvent) => number));
    segment.to = to;
    return answer.json.length > 0;
  }
  return { poll, segments: () => segments.filter(({ from }) => from !== "") };
}

/** Follows by streams: connects again to any node, with the last id, until the test stops it. */
function startStreamer(world: World, follower: Follower) {
  const segments: Segment[] = [];
  let isDone = false;
  let stream: EventStreamClient | undefined;
  async function run(): Promise<void> {
    for (let node = 0; !isDone; node = (node + 1) % NODES) {
      const last = segments.at(-1);
      const url = `${world.url(node)}/events/stream?after=now${follower.query}`;
      const headers = last === undefined ? {} : { "last-event-id": last.to };
      const key = world.keys[follower.key] ?? "";
      stream = await openEventStream(url, { key, headers }).catch(() => undefined);
      if (stream?.status === 410) {
        const fresh = await openEventStream(url, { key }).catch(() => undefined);
        stream = fresh;
        if (fresh?.status === 200) await read(fresh, undefined);
      } else if (stream?.status === 200) await read(stream, last);
      else await pause(20);
    }
  }
  async function read(from: EventStreamClient, last: Segment | undefined): Promise<void> {
    let segment = last;
    try {
      for (;;) {
        const { id = "", event, data = "" } = await from.next();
        if (id === "") continue;
        if (segment === undefined) {
          segment = { from: id, to: id, numbers: [] };
          segments.push(segment);
        }
        if (event !== undefined) segment.numbers.push(JSON.parse(data).number);
        segment.to = id;
      }
    } catch {
      // The stream has ended.
    }
  }
  const running = run();
  return {
    segments,
    async finish(cursor: string) {
      while (segments.at(-1)?.to !== cursor) await pause(10);
      isDone = true;
      stream?.close();
      await running;
    },
  };
}

type Step = {
  do: "pet" | "category" | "order" | "cancel" | "restart" | "setBack" | "poll";
  a: number;
  b: number;
};

const node = fc.integer({ min: 0, max: NODES - 1 });
const small = fc.integer({ min: 1, max: 4 });
const step = (name: Step["do"], weight: number, a = node, b = small) => ({
  weight,
  arbitrary: fc.tuple(a, b).map(([first, second]): Step => ({ do: name, a: first, b: second })),
});
const STEPS = fc.array(
  fc.oneof(
    step("pet", 6),
    step("category", 2),
    step("order", 4),
    step("cancel", 2),
    step("restart", 1),
    step("setBack", 1),
    step("poll", 8, node, fc.integer({ min: 0, max: FOLLOWERS.length - 1 })),
  ),
  { minLength: 15, maxLength: 40 },
);

test("every follower sees every event that it may see once and in order, or gets 410", async (t) => {
  const property = fc.asyncProperty(STEPS, async (steps) => {
    const world = await openWorld(t);
    const pollers = FOLLOWERS.map((follower) => createPoller(world, follower));
    const streamers = FOLLOWERS.map((follower) => startStreamer(world, follower));
    try {
      for (const each of steps) await run(each, world, pollers);
      const end = await keepHistory(world.url(0), world.histories);
      for (const { poll } of pollers) {
        await poll(0, 3);
        await poll(1, 3);
        while (await poll(2, 3));
      }
      await Promise.all(streamers.map(({ finish }) => finish(end)));
      for (const [index, follower] of FOLLOWERS.entries()) {
        check(pollers[index]?.segments() ?? [], follower, world);
        check(streamers[index]?.segments ?? [], follower, world);
      }
    } finally {
      await world.close();
    }
  });
  await fc.assert(property, { numRuns: RUNS });
});

async function run({ do: what, a, b }: Step, world: World, pollers: Array<ReturnType<typeof createPoller>>) {
  if (what === "restart") return world.restart(a);
  if (what === "setBack") return world.setBack(b);
  if (what === "poll") return void (await pollers[b]?.poll(a, 3));
  const call = createCall(world.url(a), ADMIN_KEY);
  if (what === "pet") return void (await call("POST", "/pets", { body: { name: "Rex", categoryId: b } }));
  if (what === "category")
    return void (await call("PUT", `/categories/${b}`, { body: { name: `Dogs ${Math.random()}` } }));
  if (what === "cancel")
    return void (await call("PATCH", `/store/orders/${b}`, { body: { status: "cancelled" } }));
  const key = world.keys[2 + (b % 2)] ?? "";
  const { status, json } = await call("POST", "/store/orders", { key, body: { petId: b } });
  if (status === 201) world.owners.set(json.id, key);
}
