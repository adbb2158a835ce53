// Deliveries of webhooks in the stores: one per event, claimed by one node at a time, retried, replayed and forgotten.

import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import type { Webhook } from "../../src/domain/webhooks/webhook.ts";
import { EVENTS_PER_PORTION } from "../../src/domain/webhooks/webhook-limits.ts";
import type { Database } from "../../src/storage/database.ts";
import { createCategoryStore } from "../../src/storage/stores/animals/categories.ts";
import { createOrderStore } from "../../src/storage/stores/orders/orders.ts";
import { stampAt } from "../harness/clients/audit.ts";
import { countRows, testOnEngines } from "./engines.ts";
import { openWebhooks, REX } from "./webhook-scene.ts";

const DAY_MS = 86_400_000;
const CLAIM_MS = 60_000;
const NO_CLAIMS = { node: 0 };

function openScene(t: TestContext, db: Database) {
  const scene = openWebhooks(db);
  const { webhooks, dispatch, create } = scene;
  return {
    ...scene,
    /** With a webhook of its own, which is deleted afterwards. */
    check: (title: string, work: (webhook: Webhook) => Promise<void>, settings = {}) =>
      t.test(title, async () => {
        const webhook = await create(settings);
        await work(webhook);
        await webhooks.delete(webhook.id, stampAt(1));
      }),
    set: (id: bigint, changes: Parameters<typeof webhooks.update>[1], atMs = 1) =>
      webhooks.update(id, changes, stampAt(atMs)),
    list: (id: bigint, ...status: ["failed"?]) => webhooks.listDeliveries(id, { limit: 2_000 }, ...status),
    replay: async (id: bigint, what: Parameters<typeof webhooks.replay>[1], nowMs = 2_000) =>
      (await webhooks.replay(id, what, nowMs)) ?? assert.fail("not found"),
    target: async (nowMs: number) => (await dispatch.look(nowMs)).targets[0],
  };
}

testOnEngines("Claims of deliveries", async (t, db) => {
  const { check, find, addPets, events, take, claim, succeed, fail, dispatch, set, list, target } = openScene(
    t,
    db,
  );

  await check(
    "turns each event into one delivery, also if many nodes ask at once",
    async ({ id }) => {
      await addPets(20);
      await createCategoryStore(db).put({ id: 1n, name: "Dogs" }, { atMs: 1 });
      const claimed = (await Promise.all([1, 2, 3, 4, 5].map(() => claim(id, 1_000)))).flat();
      const eventIds = claimed.map(({ delivery }) => delivery.eventId).toSorted();
      const { epoch } = await events.newest();
      const expected = [1, 2, 3, 4].map((number) => `evt_${epoch}_${number}`);
      assert.deepEqual(eventIds, expected, "the limit of an endpoint holds for all nodes");
      assert.equal((await list(id)).length, 20);
      const { pending, number } = await find(id);
      assert.deepEqual([pending, number], [20, 21n], "the position has passed events of other types");
      const keyOf = { id, keyId: 0n, keyFingerprint: "k1" };
      assert.deepEqual((await dispatch.look(1_000)).targets, [
        { ...keyOf, failures: undefined, hasWork: true, behind: 0 },
      ]);
    },
    { types: ["pet.*"] },
  );

  await check("claims only due deliveries, and again when a claim has ended", async ({ id }) => {
    await addPets(1);
    const [claimed] = await claim(id, 1_000);
    assert.equal(claimed.claimedUntilMs, 1_000 + CLAIM_MS);
    assert.deepEqual(await claim(id, 1_000 + CLAIM_MS - 1), []);
    const [again] = await claim(id, 1_000 + CLAIM_MS);
    assert.deepEqual(
      [again.delivery.id, again.delivery.eventId],
      [claimed.delivery.id, claimed.delivery.eventId],
    );
    assert.equal(await succeed(claimed, 70_000), undefined, "the first node was too late");
    await fail(again, 70_000, 80_000);
    assert.deepEqual(await claim(id, 79_999), []);
    assert.equal((await target(79_999))?.hasWork, false);
    const [third] = await claim(id, 80_000);
    await dispatch.release(third);
    const [fourth] = await claim(id, 80_000);
    await succeed(fourth, 80_001);
    const { failingSinceMs, lastFailureAtMs, lastSuccessAtMs } = await find(id);
    assert.deepEqual([failingSinceMs, lastFailureAtMs, lastSuccessAtMs], [undefined, undefined, 80_001]);
    const [row] = await list(id);
    assert.deepEqual(
      [row?.status, row?.attempts, row?.lastStatus, row?.nextAttemptAtMs],
      ["delivered", 2, 204, undefined],
    );
  });

  await check("ends all claims at the start of the only node", async ({ id }) => {
    await addPets(1);
    await take(id, 1_000);
    assert.deepEqual(await claim(id, 1_001), []);
    await dispatch.releaseAll();
    assert.equal((await claim(id, 1_001)).length, 1);
  });

  await check("releases only its own claim, and skipped deliveries leave their slots", async ({ id }) => {
    await addPets(4);
    const [lost] = await claim(id, 1_000, { node: 1 });
    const others = await claim(id, 1_000 + CLAIM_MS);
    assert.equal(others.length, 4);
    await dispatch.release(lost);
    assert.deepEqual(await claim(id, 1_001 + CLAIM_MS), [], "the claim of the other node holds");
    await set(id, { after: "now" });
    await addPets(4);
    assert.equal((await claim(id, 1_002 + CLAIM_MS)).length, 4);
    assert.equal(await succeed(others[0], 70_000), undefined, "it was skipped");
  });

  await check("claims the delivery that was due first, whatever its number is", async ({ id }) => {
    await addPets(3);
    const [a, b, c] = await claim(id, 1_000);
    for (const [each, next] of [
      [a, 3_000],
      [b, 4_000],
      [c, 2_000],
    ] as const)
      await fail(each, 1_001, next);
    const order: bigint[] = [];
    for (let i = 0; i < 3; i++) order.push((await claim(id, 5_000, { node: 1 }))[0].delivery.id);
    assert.deepEqual(order, [c.delivery.id, a.delivery.id, b.delivery.id]);
  });
});

testOnEngines("Webhooks that are disabled or see less", async (t, db) => {
  const scene = openScene(t, db);
  const { check, set, list, target, webhooks, dispatch } = scene;
  const { create, createKey, find, addPets, pets, keys, take, claim, fail } = scene;

  await check("remembers failures until it is enabled again, and disables once", async ({ id }) => {
    await addPets(3);
    const [a, b, c] = await claim(id, 1_000);
    const failures = { failingSinceMs: 2_000, lastFailureMs: 2_000 };
    const first = { failuresBefore: undefined, failures, disabledReason: undefined };
    assert.deepEqual(await fail(a, 2_000), first);
    assert.deepEqual((await dispatch.measure()).failingSinceMs, [2_000]);
    assert.deepEqual((await target(2_001))?.failures, failures);
    const older = { ...failures, lastFailureMs: 1_999 };
    assert.equal(await dispatch.disable(id, "failing", older, 2_001), false, "there were more attempts");
    assert.deepEqual(await fail(b, 3_000, 9_000, "failing"), {
      failuresBefore: failures,
      failures: { ...failures, lastFailureMs: 3_000 },
      disabledReason: "failing",
    });
    assert.equal((await find(id)).disabledReason, "failing");
    assert.equal((await fail(c, 3_001, 9_000, "failing"))?.disabledReason, undefined);
    assert.deepEqual((await dispatch.look(10_000)).targets, []);
    const latest = { ...failures, lastFailureMs: 3_001 };
    assert.equal(await dispatch.disable(id, "failing", latest, 10_000), false, "it is disabled");
    await set(id, { status: "enabled" }, 3_002);
    assert.equal(await dispatch.disable(id, "failing", latest, 10_000), false, "it begins again");
    await set(id, { status: "disabled" }, 3_003);
    assert.deepEqual(await claim(id, 10_000), []);
    assert.deepEqual(await dispatch.measure(), {
      pending: 0,
      oldestPendingMs: undefined,
      failingSinceMs: [],
    });
    const failed = (await list(id, "failed")).map((delivery) => delivery.id);
    assert.deepEqual(failed, [a.delivery.id], "the others are pending");
  });

  await check("skips what a disabled webhook has missed when it is enabled from now on", async ({ id }) => {
    await addPets(1);
    await take(id, 5_000);
    await set(id, { status: "disabled" });
    await addPets(1);
    assert.equal((await find(id)).pending, 2, "a delivery, and an event without one");
    await set(id, { status: "enabled", after: "now" });
    assert.equal((await find(id)).pending, 0);
    assert.deepEqual(await claim(id, 1e9), []);
    await addPets(1);
    assert.equal((await claim(id, 1e9)).length, 1);
  });

  await check("keeps the reason of a webhook that is gone until it is enabled", async ({ id }) => {
    await addPets(1);
    const [last] = await claim(id, 1_000);
    await fail(last, 1_001, undefined, "gone");
    for (const changes of [{ status: "disabled" }, { description: "x" }] as const)
      assert.equal((await set(id, changes))?.disabledReason, "gone");
    assert.equal((await set(id, { status: "enabled" }))?.disabledReason, undefined);
  });

  await t.test("disables a webhook whose key has expired, also without events", async () => {
    const key = await createKey({ expiresAtMs: 5_000 });
    const { id } = await create({ keyId: key.id });
    assert.equal((await target(4_999))?.hasWork, false);
    assert.equal((await take(id, 4_999)).disabledReason, undefined);
    assert.equal((await target(5_000))?.hasWork, true);
    assert.equal((await take(id, 5_000)).disabledReason, "key_ended");
    assert.equal((await find(id)).disabledReason, "key_ended");
    await webhooks.delete(id, stampAt(1));
  });

  await t.test("gives a key only what it may see, also if its access was lowered later", async () => {
    const key = await createKey();
    const { id } = await create({ keyId: key.id });
    const { id: petId } = await pets.create(REX, { atMs: 1 });
    await createOrderStore(db, { holdMs: 60_000 }).create({ petId }, { keyId: 99n, atMs: 1 });
    await take(id, 1_000, NO_CLAIMS);
    await keys.update(key.id, (before) => ({ ...before, access: "browse" }), stampAt(2));
    const claimed = await claim(id, 1_000);
    assert.deepEqual(claimed.map(({ event }) => event.type).toSorted(), ["pet.created", "pet.updated"]);
    const [hidden] = await list(id, "failed");
    assert.equal(hidden?.type, "order.created");
    assert.equal((await find(id)).failingSinceMs, undefined, "not the receiver's fault");
    await webhooks.delete(id, stampAt(1));
  });
});

testOnEngines("Replays of deliveries", async (t, db) => {
  const scene = openScene(t, db);
  const { check, set, list, replay, webhooks, dispatch } = scene;
  const { create, find, addPets, events, take, claim, succeed, fail } = scene;

  await check("replays one delivery, or all events after a cursor, with the same ids", async ({ id }) => {
    const start = await events.newest();
    await addPets(3);
    const idsOf = (some: typeof sent) => some.map(({ delivery }) => delivery.eventId).toSorted();
    const sent = await claim(id, 1_000);
    for (const each of sent) await succeed(each, 1_001);
    const { delivery: one } = sent[0];
    assert.equal((await replay(id, { deliveryId: one.id })).pending, 1);
    const [again] = await claim(id, 2_000);
    assert.deepEqual([again.delivery.eventId, again.delivery.attempts], [one.eventId, 0]);
    await succeed(again, 2_001);
    assert.equal((await replay(id, { after: start })).pending, 3);
    const all = await claim(id, 3_000);
    assert.deepEqual(idsOf(all), idsOf(sent));
    for (const each of all) await succeed(each, 3_001);
    assert.equal((await list(id)).length, 3, "no second row");
    await assert.rejects(replay(id, { deliveryId: 999_999n }), { code: "delivery_not_found" });
    await assert.rejects(replay(id, { after: { ...start, number: 9_999n } }), { code: "feed_reset" });
  });

  for (const [what, isAfterCursor] of Object.entries({ "after a cursor": true, "of its own": false }))
    await check(`a delivery begins again with a replay ${what}`, async ({ id }) => {
      const after = await events.newest();
      await addPets(1);
      const [claimed] = await claim(id, 1_000);
      await fail(claimed, 1_000);
      await replay(id, isAfterCursor ? { after } : { deliveryId: claimed.delivery.id }, DAY_MS);
      await take(id, DAY_MS, NO_CLAIMS);
      const [row] = await list(id);
      assert.deepEqual([row?.status, row?.attempts, row?.nextAttemptAtMs], ["pending", 0, DAY_MS]);
      assert.equal((await dispatch.measure()).oldestPendingMs, DAY_MS);
    });

  await t.test("runs one replay at a time for a webhook that has no deliveries yet", async () => {
    const start = await events.newest();
    await addPets(EVENTS_PER_PORTION + 2);
    const { id } = await create();
    const second = { ...start, number: start.number + 1n };
    assert.equal((await replay(id, { after: second })).number, second.number);
    await assert.rejects(replay(id, { after: start }), { code: "invalid_transition" });
    await webhooks.delete(id, stampAt(1));
  });

  await check("runs one replay after a cursor at a time", async ({ id }) => {
    const start = await events.newest();
    const replayAfter = async (number: bigint) =>
      (await replay(id, { after: { ...start, number: start.number + number } })).number - start.number;
    await addPets(6);
    for (const each of await claim(id, 1_000)) await succeed(each, 1_001);
    assert.equal(await replayAfter(1n), 1n);
    assert.equal(await replayAfter(1n), 1n, "nothing to change");
    await take(id, 2_000, { node: 0, events: 2 });
    assert.equal((await find(id)).number - start.number, 3n);
    for (const number of [0n, 1n, 2n])
      await assert.rejects(replayAfter(number), { code: "invalid_transition" });
    assert.equal(await replayAfter(4n), 3n, "it comes there");
    await set(id, { status: "disabled" });
    assert.equal(await replayAfter(2n), 2n, "nothing runs");
    await set(id, { status: "enabled" });
    await take(id, 2_000, NO_CLAIMS);
    assert.equal(await replayAfter(0n), 0n, "it has ended");
  });
});

testOnEngines("Deliveries in steps", async (t, db) => {
  const scene = openScene(t, db);
  const { check, set, list, target, webhooks, dispatch } = scene;
  const { find, addPets, take, claim, succeed, fail } = scene;

  await check("takes no more events than its limit, and none without one", async ({ id, number }) => {
    await addPets(3);
    const behind = async () => (await target(1_000))?.behind;
    assert.equal(await behind(), 3);
    assert.deepEqual(await take(id, 1_000, { events: 0 }), { claimed: [], hasMore: false });
    assert.equal((await find(id)).number, number);
    assert.equal((await take(id, 1_000, { events: 2 })).hasMore, true);
    assert.deepEqual([await behind(), (await take(id, 1_000)).hasMore], [1, false]);
  });

  await check("deletes old deliveries, never pending ones, and all of a deleted webhook", async ({ id }) => {
    while ((await dispatch.forget(0)) > 0);
    assert.equal(await countRows(db, "deliveries"), 0);
    await addPets(3);
    const [done, left] = await claim(id, 1_000);
    await succeed(done, 1_001);
    await fail(left, 1_001);
    assert.equal(await dispatch.forget(1_000 + 30 * DAY_MS - 1), 0);
    assert.equal(await dispatch.forget(1_000 + 30 * DAY_MS), 2);
    assert.equal((await list(id)).length, 1);
    await webhooks.delete(id, stampAt(1));
    assert.equal(await dispatch.forget(0), 1);
  });

  await check("takes a long history in steps, each with its position", async ({ id }) => {
    await addPets(3);
    const { newest } = await dispatch.look(1_000);
    const insert = `INSERT INTO history (number, what, pet_id, state_after, at_ms)
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1200)
      SELECT ${newest} + i, 'pet.updated', 77, '{"status":"sold","name":"x","categoryId":"1"}', 10 FROM n`;
    await db.transaction((tx) => tx.run(insert));
    const steps: boolean[] = [];
    do steps.push((await take(id, 1_000, NO_CLAIMS)).hasMore);
    while (steps.at(-1));
    assert.deepEqual(steps, [true, true, false]);
    const { pending, oldestPendingMs } = await dispatch.measure();
    assert.deepEqual([pending, oldestPendingMs, (await find(id)).pending], [1_203, 1_000, 1_203]);

    await set(id, { status: "disabled" }, 4);
    await set(id, { status: "enabled" }, 5);
    assert.equal(await countRows(db, "deliveries WHERE next_attempt_at_ms > 5"), 0, "all are due at once");
    assert.equal((await set(id, { after: "now" }, 6))?.pending, 0);
    assert.equal((await list(id, "failed")).length, 1_203);
  });
});
