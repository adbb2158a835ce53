// The dispatcher against receivers that fail in every way: what is sent again, when, how often, and by which node.

import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import { ATTEMPT_WAITS_MS } from "../../../src/domain/webhooks/attempt-schedule.ts";
import type { Database } from "../../../src/storage/database.ts";
import { testOnEngines } from "../../contract/engines.ts";
import { type Reaction, startReceiver } from "../../harness/servers/receiver.ts";
import { createDispatchScene, KEY_FINGERPRINT, startScene } from "./dispatch-scene.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

interface Bad {
  reaction: Reaction;
  lastStatus?: number;
  lastError?: RegExp;
  waitMs?: number;
  attemptMs?: number;
}

/** Long enough for a slow machine, except where the test waits for its end. */
const ATTEMPT_MS = 30_000;

const BAD_RECEIVERS: Record<string, Bad> = {
  "answers 500": { reaction: 500, lastStatus: 500 },
  "never answers": { reaction: () => {}, lastError: /No response within/, attemptMs: 500 },
  "cuts the connection": {
    reaction: (response) => response.destroy(),
    lastError: /closed before a response/,
  },
  "answers 429 with a Retry-After, which may double the wait": {
    reaction: (response) => response.writeHead(429, { "retry-after": "3600" }).end(),
    lastStatus: 429,
    waitMs: 10_000,
  },
};

for (const [what, bad] of Object.entries(BAD_RECEIVERS)) {
  const { reaction, lastStatus, lastError, waitMs = 5_000, attemptMs = ATTEMPT_MS } = bad;
  test(`a receiver that ${what} gets the event again later, with the same id`, async (t) => {
    const { scene, receiver, id } = await startScene(t, reaction);
    await scene.addPets(1);
    const first = scene.startNode({ attemptMs });
    await first.run();
    await first.stop();
    const failed = await scene.newest(id);
    assert.deepEqual([failed?.status, failed?.attempts, failed?.lastStatus], ["pending", 1, lastStatus]);
    assert.match(failed?.lastError ?? "", lastError ?? /^$/);
    assert.equal(failed?.nextAttemptAtMs, scene.clock.nowMs() + waitMs);
    receiver.react(204);
    const node = scene.startNode();
    scene.clock.advance(waitMs - 1);
    await node.run();
    assert.equal(receiver.received.length, 1, "not before its time");
    scene.clock.advance(1);
    await node.run();
    const [one, two, ...others] = receiver.received.map(({ headers, path }) => [path, headers["webhook-id"]]);
    assert.deepEqual([two, others], [one, []]);
    assert.equal((await scene.newest(id))?.status, "delivered");
    assert.deepEqual([scene.seen.delivered, scene.seen.failed], [1, 1]);
  });
}

test("a webhook whose receiver answers 410 is disabled at once, with the reason gone", async (t) => {
  const { scene, receiver, id } = await startScene(t, 410);
  await scene.addPets(2);
  const node = scene.startNode();
  await node.run();
  assert.equal((await scene.webhooks.find(id))?.disabledReason, "gone");
  assert.deepEqual(scene.seen.disabled, ["gone"]);
  const before = receiver.received.length;
  scene.clock.advance(DAY_MS);
  await node.run();
  assert.equal(receiver.received.length, before);
});

test("a receiver that always fails gets ten attempts at the times of the schedule, then none", async (t) => {
  const { scene, receiver, id } = await startScene(t, 500);
  await scene.addPets(1);
  const node = scene.startNode();
  const times: number[] = [];
  const startMs = scene.clock.nowMs();
  for (;;) {
    await node.run();
    times.push(scene.clock.nowMs());
    const next = (await scene.newest(id))?.nextAttemptAtMs;
    if (next === undefined) break;
    scene.clock.set(next);
  }
  const expected = ATTEMPT_WAITS_MS.map((_, index) =>
    ATTEMPT_WAITS_MS.slice(0, index + 1).reduce((sum, wait) => sum + wait, startMs),
  );
  assert.deepEqual(times, expected);
  assert.equal((await scene.newest(id))?.status, "failed");
  assert.equal(receiver.received.length, 10);
  scene.clock.set(startMs + 5 * DAY_MS - 1);
  await node.run();
  assert.equal((await scene.webhooks.find(id))?.disabledReason, undefined);
  scene.clock.advance(1);
  await node.run();
  assert.equal((await scene.webhooks.find(id))?.disabledReason, "failing", "5 days without a success");
  assert.deepEqual(scene.seen.disabled, ["failing"]);
  assert.equal(receiver.received.length, 10);
});

test("a webhook with a secret of another key gets nothing until a rotation, and then everything", async (t) => {
  const { scene, receiver, id } = await startScene(t, undefined, { keyFingerprint: "of another key" });
  await scene.addPets(2);
  const node = scene.startNode();
  for (let round = 0; round < 2; round++) await node.run();
  assert.deepEqual([receiver.received, scene.seen.unsigned], [[], [id]], "reported once");
  await scene.webhooks.rotate(id, KEY_FINGERPRINT, { actor: { command: "test" }, atMs: 0 });
  await node.run();
  assert.equal(receiver.received.length, 2);
});

test("a webhook that failed for less than 12 hours stays enabled until there is something to send", async (t) => {
  const { scene, receiver, id } = await startScene(t, 500);
  await scene.addPets(1);
  const node = scene.startNode();
  await node.run();
  await scene.webhooks.update(id, { after: "now" }, { actor: { command: "test" }, atMs: 0 });
  scene.clock.advance(30 * DAY_MS);
  await node.run();
  assert.equal((await scene.webhooks.find(id))?.disabledReason, undefined);
  receiver.react(204);
  await scene.addPets(1);
  await node.run();
  assert.deepEqual([receiver.received.length, scene.seen.disabled], [2, []]);
});

test("a receiver that accepts again after failures gets four requests at a time at once", async (t) => {
  const { scene, receiver, id } = await startScene(t, 500);
  const places: number[] = [];
  const node = scene.startNode({
    store: {
      ...scene.dispatch,
      take(webhookId, limits, nowMs) {
        places.push(limits.node);
        return scene.dispatch.take(webhookId, limits, nowMs);
      },
    },
  });
  await scene.addPets(12);
  await node.run();
  assert.equal(Math.max(...places), 1);
  receiver.react(204);
  scene.clock.advance(HOUR_MS);
  await node.run();
  assert.equal((await scene.webhooks.find(id))?.pending, 0);
  assert.ok(Math.max(...places) > 1, "without waiting for another round");
});

test("a receiver that answers at once gets 20 events, and the others at the rate of its key", async (t) => {
  const { scene, receiver } = await startScene(t);
  let realMs = 0;
  const node = scene.startNode({ realMs: () => realMs });
  await node.run();
  await scene.addPets(30);
  const running = node.run();
  // No attempt is running then that could start the others.
  do await yieldToEventLoop();
  while (scene.seen.delivered < 20);
  await yieldToEventLoop();
  realMs = 1_000;
  await receiver.until(30);
  await running;
  assert.equal(scene.seen.delivered, 30);
});

test("a webhook that only fails is reported once after a day, and disabled after 5 days", async (t) => {
  const { scene, receiver, id } = await startScene(t, 503);
  const node = scene.startNode();
  const startMs = scene.clock.nowMs();
  for (; scene.clock.nowMs() < startMs + 5 * DAY_MS; scene.clock.advance(6 * HOUR_MS)) {
    await scene.addPets(1);
    await node.run();
    assert.deepEqual(scene.seen.disabled, []);
  }
  await node.run();
  assert.deepEqual([scene.seen.warned, scene.seen.disabled], [[id], ["failing"]]);
  receiver.react(204);
  const before = receiver.received.length;
  await scene.webhooks.update(id, { status: "enabled" }, { actor: { command: "test" }, atMs: 0 });
  const { pending = 0 } = (await scene.webhooks.find(id)) ?? {};
  assert.ok(pending > 0);
  scene.clock.advance(DAY_MS);
  await node.run();
  assert.equal(receiver.received.length, before + pending, "nothing is lost");
});

/** The first round of each node is over: otherwise either of them might take the next event. */
async function startTwoNodes(t: TestContext, db: Database, reaction?: Reaction) {
  const scene = createDispatchScene(t, db);
  const receiver = await startReceiver(t, reaction);
  const { id } = await scene.create(receiver.url);
  t.after(() => scene.webhooks.delete(id, { actor: { command: "test" }, atMs: 0 }));
  const nodes = [scene.startNode(), scene.startNode()] as const;
  await Promise.all(nodes.map((node) => node.run()));
  return { scene, receiver, id, nodes };
}

testOnEngines("two dispatchers", async (t, db) => {
  await t.test("a node that stops during an attempt releases the delivery at once", async (t) => {
    const { scene, receiver, id, nodes } = await startTwoNodes(t, db, () => {});
    const [first, second] = nodes;
    await scene.addPets(1);
    const attempt = first.run();
    await receiver.until(1);
    await Promise.race([second.run(), receiver.until(2)]);
    assert.equal(receiver.received.length, 1, "the first has it");
    await first.stop();
    await attempt;
    assert.equal((await scene.newest(id))?.attempts, 0, "a cut attempt does not count");
    receiver.react(204);
    await second.run();
    assert.equal(receiver.received[1]?.event.id, receiver.received[0]?.event.id);
    assert.equal((await scene.newest(id))?.status, "delivered");
  });

  await t.test("a node that freezes loses its claim, and its late result changes nothing", async (t) => {
    let answer = () => {};
    const { scene, receiver, id, nodes } = await startTwoNodes(t, db, (response) => {
      answer = () => response.writeHead(500).end();
    });
    const [frozen, other] = nodes;
    await scene.addPets(1);
    const attempt = frozen.run();
    await receiver.until(1);
    scene.clock.advance(60_000);
    receiver.react(204);
    await other.run();
    assert.equal((await scene.newest(id))?.status, "delivered");
    answer();
    await attempt;
    const delivery = await scene.newest(id);
    assert.deepEqual([delivery?.status, delivery?.attempts], ["delivered", 1]);
  });
});
