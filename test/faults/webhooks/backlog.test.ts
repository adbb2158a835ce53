// Many events for an endpoint that never answers: they stay in the database, and other endpoints do not wait for them.

import assert from "node:assert/strict";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { DispatchStore } from "../../../src/domain/webhooks/dispatch.ts";
import { testOnEngines } from "../../contract/engines.ts";
import { startReceiver } from "../../harness/servers/receiver.ts";
import { createDispatchScene } from "../../unit/webhooks/dispatch-scene.ts";

/** `npm run faults` has 100,000, which need several times this memory if a node holds them. */
const BACKLOG = Number(process.env.WEBHOOK_BACKLOG ?? 1_200);
const GROWTH_BYTES_MAX = 16 * 1_048_576;
const NEW_EVENTS = 20;

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc");

function measureHeap(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed;
}

/** Records which webhooks were asked for work, and when the work of one is done. */
function watchStore(store: DispatchStore) {
  const asked: bigint[] = [];
  const claimed: number[] = [];
  const done = new Map<bigint, () => void>();
  let delivered = 0;
  const allDelivered = Promise.withResolvers<void>();
  const watched: DispatchStore = {
    ...store,
    async take(id, limits, nowMs) {
      asked.push(id);
      const work = await store.take(id, limits, nowMs);
      claimed.push(work.claimed.length);
      if (!work.hasMore) done.get(id)?.();
      return work;
    },
    async record(delivery, attempt, findReason) {
      const recorded = await store.record(delivery, attempt, findReason);
      delivered += 1;
      if (delivered === NEW_EVENTS) allDelivered.resolve();
      return recorded;
    },
  };
  return {
    watched,
    asked,
    claimed,
    allDelivered: allDelivered.promise,
    /** Resolves when all events of the webhook have a delivery. */
    untilTaken: (id: bigint) => new Promise<void>((resolve) => done.set(id, resolve)),
  };
}

testOnEngines("a long backlog", async (t, db) => {
  await t.test(`${BACKLOG} events for a dead endpoint stay stored, and delay no other one`, async (t) => {
    const scene = createDispatchScene(t, db);
    const [dead, alive] = [await startReceiver(t, () => {}), await startReceiver(t)];
    const { id } = await scene.create(dead.url);
    const insert = `INSERT INTO history (number, what, pet_id, state_after, at_ms)
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${BACKLOG})
      SELECT i, 'pet.updated', 77, '{"status":"sold","name":"x","categoryId":"1"}', 10 FROM n`;
    await db.transaction((tx) => tx.run(insert), { deadlineMs: 60_000 });
    const healthy = await scene.create(alive.url);
    await scene.addPets(NEW_EVENTS);
    const { watched, asked, claimed, allDelivered, untilTaken } = watchStore(scene.dispatch);
    const taken = untilTaken(id);
    const before = measureHeap();

    const node = scene.startNode({ store: watched });
    await allDelivered;
    await taken;
    const growth = measureHeap() - before;
    assert.deepEqual(asked.slice(0, 2), [id, healthy.id], "one portion of the backlog, then the other");
    assert.ok(growth < GROWTH_BYTES_MAX, `the heap has grown by ${growth} bytes`);
    assert.ok(Math.max(...claimed) <= 4, "no more than the attempts are in memory");
    assert.equal(alive.received.length, NEW_EVENTS);
    assert.ok(dead.mostOpen() <= 4);
    await node.stop();
    assert.equal((await scene.webhooks.find(healthy.id))?.pending, 0);
    assert.equal((await scene.webhooks.find(id))?.pending, BACKLOG + NEW_EVENTS);
  });
});
