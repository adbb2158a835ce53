// The dispatcher while its database fails, hangs or stops: every webhook is served again, and faults are reported once.

import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import { ServiceError } from "../../../src/domain/basics/errors.ts";
import type { DispatchStore } from "../../../src/domain/webhooks/dispatch.ts";
import { startReceiver } from "../../harness/servers/receiver.ts";
import { startScene } from "./dispatch-scene.ts";

type Scene = Awaited<ReturnType<typeof startScene>>["scene"];

/** Some takes fail, counted from 1. */
function failTakes(store: DispatchStore, isFailing: (take: number) => boolean): DispatchStore {
  let takes = 0;
  return {
    ...store,
    async take(...args) {
      takes += 1;
      if (isFailing(takes)) throw new Error(`take ${takes} failed`);
      return store.take(...args);
    },
  };
}

/** A node whose first round is over. */
async function startQuietNode(scene: Scene, options: Parameters<Scene["startNode"]>[0]) {
  const errors: unknown[] = [];
  const node = scene.startNode({ ...options, onFailed: (error) => errors.push(error) });
  await node.run();
  return {
    errors,
    stop: node.stop,
    async run() {
      await node.run();
      // The report of a fault comes after its end.
      await yieldToEventLoop();
    },
  };
}

test("a webhook whose take failed is served by the next round, and the others are not held up", async (t) => {
  const { scene, receiver: first } = await startScene(t);
  const second = await startReceiver(t);
  await scene.create(second.url);
  const store = failTakes(scene.dispatch, (take) => take === 1);
  const { errors, ...node } = await startQuietNode(scene, { store });
  await scene.addPets(1);
  await node.run();
  assert.deepEqual([first.received.length, second.received.length, errors.length], [0, 1, 1]);
  await node.run();
  assert.deepEqual([first.received.length, second.received.length, errors.length], [1, 1, 1]);
});

test("a webhook whose take waits for the database does not hold up the others", async (t) => {
  const { scene, receiver: locked, id } = await startScene(t);
  const others = await Promise.all([startReceiver(t), startReceiver(t)]);
  for (const { url } of others) await scene.create(url);
  const mayGoOn = Promise.withResolvers<void>();
  const store: DispatchStore = {
    ...scene.dispatch,
    async take(...args) {
      if (args[0] === id) await mayGoOn.promise;
      return scene.dispatch.take(...args);
    },
  };
  const node = scene.startNode({ store });
  await scene.addPets(1);
  const running = node.run();
  for (const { received } of others) while (received.length === 0) await yieldToEventLoop();
  assert.equal(locked.received.length, 0);
  mayGoOn.resolve();
  await running;
  assert.equal(locked.received.length, 1);
});

test("a take that failed after an attempt leaves the rest to the next round", async (t) => {
  const { scene, receiver } = await startScene(t);
  // The second take is the one that asks for more after the first success.
  const store = failTakes(scene.dispatch, (take) => take === 2);
  const { errors, ...node } = await startQuietNode(scene, { store });
  await scene.addPets(6);
  await node.run();
  assert.deepEqual([receiver.received.length, errors.length], [1, 1]);
  await node.run();
  assert.equal(receiver.received.length, 6);
});

test("a fault is reported once in a row, and again after a round without one", async (t) => {
  const { scene, receiver } = await startScene(t);
  const store = failTakes(scene.dispatch, (take) => take !== 4);
  const { errors, ...node } = await startQuietNode(scene, { store });
  await scene.addPets(1);
  const reported: number[] = [];
  for (let round = 0; round < 6; round++) {
    // Round 4 delivers, and the take after it fails.
    await node.run();
    reported.push(errors.length);
    if (round === 3) await scene.addPets(1);
  }
  assert.deepEqual(reported.slice(0, 3), [1, 1, 1]);
  assert.equal(reported[3], 2);
  assert.deepEqual(reported.slice(4), [2, 2]);
  assert.equal(receiver.received.length, 1);
});

test("a stop waits for a take that is under way, and what it claimed is given back", async (t) => {
  const { scene, receiver, id } = await startScene(t);
  const [isTaking, mayGoOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let takes = 0;
  let takeEnded = false;
  const store: DispatchStore = {
    ...scene.dispatch,
    async take(...args) {
      takes += 1;
      const work = await scene.dispatch.take(...args);
      if (takes === 2) {
        // After its transaction: the claims are in the database.
        isTaking.resolve();
        await mayGoOn.promise;
        takeEnded = true;
      }
      return work;
    },
  };
  // Long enough for an attempt, if one began.
  const node = await startQuietNode(scene, { store, stopGraceMs: 10_000 });
  await scene.addPets(3);
  const running = node.run();
  await isTaking.promise;
  let hasStopped = false;
  const stopped = node.stop().then(() => {
    hasStopped = true;
    assert.ok(takeEnded, "the stop did not wait");
  });
  await new Promise((resolve) => setTimeout(resolve, 20));
  assert.equal(hasStopped, false);
  mayGoOn.resolve();
  await Promise.all([stopped, running]);
  assert.equal(receiver.received.length, 1, "no attempt starts after the stop");
  const pending = await scene.webhooks.listDeliveries(id, { limit: 9 }, "pending");
  assert.deepEqual(
    pending.map(({ claimedUntilMs, attempts }) => [claimedUntilMs, attempts]),
    [
      [undefined, 0],
      [undefined, 0],
    ],
  );
});

test("an attempt whose result cannot be stored does not end the dispatcher", async (t) => {
  const { scene, receiver } = await startScene(t);
  let isFailing = true;
  const store: DispatchStore = {
    ...scene.dispatch,
    async record(...args) {
      if (isFailing) throw new Error("no result is stored");
      return scene.dispatch.record(...args);
    },
  };
  const { errors, ...node } = await startQuietNode(scene, { store });
  await scene.addPets(1);
  await node.run();
  assert.deepEqual([receiver.received.length, errors.length], [1, 1]);
  isFailing = false;
  // Its claim ends.
  scene.clock.advance(60_000);
  await node.run();
  assert.equal(receiver.received.length, 2);
  assert.equal(scene.seen.delivered, 1);
});

test("a result that comes while the database is away is stored when it is back, and nothing is sent again", async (t) => {
  const { scene, receiver, id } = await startScene(t);
  let failures = 0;
  const store: DispatchStore = {
    ...scene.dispatch,
    async record(...args) {
      failures += 1;
      if (failures === 1) throw new ServiceError("unavailable", { retryAfterSeconds: 1 });
      const recorded = await scene.dispatch.record(...args);
      // Stored, but the answer is lost.
      if (failures === 2) throw new ServiceError("unavailable", { retryAfterSeconds: 1 });
      return recorded;
    },
  };
  const { errors, ...node } = await startQuietNode(scene, { store });
  await scene.addPets(2);
  await node.run();
  assert.deepEqual([receiver.received.length, errors.length], [2, 1]);
  const deliveries = await scene.webhooks.listDeliveries(id, { limit: 9 });
  assert.deepEqual(
    deliveries.map(({ status, attempts }) => [status, attempts]),
    [
      ["delivered", 1],
      ["delivered", 1],
    ],
  );
});

test("a result is not kept longer than its claim", async (t) => {
  const { scene, receiver } = await startScene(t);
  const store: DispatchStore = {
    ...scene.dispatch,
    async record() {
      // The claim is nearly over.
      scene.clock.advance(59_900);
      throw new ServiceError("unavailable", { retryAfterSeconds: 1 });
    },
  };
  const { errors, ...node } = await startQuietNode(scene, { store });
  await scene.addPets(1);
  await node.run();
  assert.deepEqual([receiver.received.length, errors.length], [1, 1]);
});

test("a webhook whose key cannot be read does not hold up the others", async (t) => {
  const unreadableKey = "k2";
  const { scene, receiver } = await startScene(t, undefined, { keyFingerprint: unreadableKey });
  await scene.create(receiver.url);
  const { errors, ...node } = await startQuietNode(scene, { unreadableKey });
  await scene.addPets(1);
  await node.run();
  assert.deepEqual([receiver.received.length, errors.length], [1, 1]);
});
