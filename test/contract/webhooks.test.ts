// The contract of webhooks and their deliveries: limits, positions, claims, results, replays, records in the audit log.

import assert from "node:assert/strict";
import type { ErrorCode } from "../../src/domain/basics/errors.ts";
import type { ClaimedDelivery } from "../../src/domain/webhooks/dispatch.ts";
import type { DisabledReason, Webhook } from "../../src/domain/webhooks/webhook.ts";
import { EVENTS_PER_PORTION } from "../../src/domain/webhooks/webhook-limits.ts";
import type { Database } from "../../src/storage/database.ts";
import { createCategoryStore } from "../../src/storage/stores/animals/categories.ts";
import { createPetStore } from "../../src/storage/stores/animals/pets.ts";
import { createEventStore } from "../../src/storage/stores/events/events.ts";
import { createKeyStore } from "../../src/storage/stores/keys/api-keys.ts";
import { createAuditStore } from "../../src/storage/stores/keys/audit.ts";
import { createDispatchStore } from "../../src/storage/stores/webhooks/deliveries.ts";
import { createWebhookStore } from "../../src/storage/stores/webhooks/webhooks.ts";
import { stampAt, withoutAudit } from "../harness/clients/audit.ts";
import { testOnEngines } from "./engines.ts";

const URL_1 = "https://hooks.example.net/1";
const LIMITS = { node: 50, endpoint: 4, events: 500 };
const DAY_MS = 86_400_000;
const CLAIM_MS = 60_000;
const REX = { name: "Rex", categoryId: 3n, status: "available" } as const;
const has = (code: ErrorCode) => (error: unknown) => (error as { code?: string }).code === code;

function openAll(db: Database) {
  const pets = createPetStore(db);
  const dispatch = createDispatchStore(db);
  const webhooks = createWebhookStore(db);
  return {
    webhooks,
    dispatch,
    pets,
    categories: createCategoryStore(db),
    events: createEventStore(db),
    keys: createKeyStore(db),
    create: (settings: object = {}, atMs = 1) =>
      webhooks.create(
        { keyId: 0n, keyFingerprint: "k1", url: URL_1, after: "now", ...settings },
        stampAt(atMs),
      ),
    addPets: async (count: number) => {
      for (let i = 0; i < count; i++) await pets.create(REX, { atMs: 1 });
    },
    take: async (id: bigint, nowMs: number, limits = LIMITS) => dispatch.take(id, limits, nowMs),
    succeed: (claimed: ClaimedDelivery, atMs: number) =>
      dispatch.record(claimed, { status: 204, atMs, isDelivered: true }, () => undefined),
    fail: (
      claimed: ClaimedDelivery,
      { atMs, next, reason }: { atMs: number; next?: number; reason?: DisabledReason },
    ) =>
      dispatch.record(
        claimed,
        { status: 500, atMs, isDelivered: false, nextAttemptAtMs: next },
        () => reason,
      ),
    audited: async () =>
      (await createAuditStore(db).list({ limit: 100 })).filter(({ action }) => action.startsWith("webhook.")),
  };
}

const numbersOf = (claimed: ClaimedDelivery[]) =>
  claimed.map(({ event }) => Number(event.number)).toSorted((a, b) => a - b);

testOnEngines("WebhookStore", async (t, db) => {
  const { webhooks, create, audited, addPets, events, keys, take } = openAll(db);
  let first: Webhook;

  await t.test("creates, finds and lists webhooks in order of id, of one key or of all", async () => {
    first = await create({ types: ["pet.*"], description: "Website" }, 1_000);
    const second = await create({ keyId: 7n });
    assert.deepEqual(first, {
      id: 1n,
      keyId: 0n,
      url: URL_1,
      types: ["pet.*"],
      description: "Website",
      createdAtMs: 1_000,
      version: 1,
      keyFingerprint: "k1",
      number: 0n,
      pending: 0,
      disabledReason: undefined,
      rotatedAtMs: undefined,
      lastSuccessAtMs: undefined,
      failingSinceMs: undefined,
      lastFailureAtMs: undefined,
    });
    assert.deepEqual(await webhooks.find(1n), first);
    assert.equal(await webhooks.find(99n), undefined);
    assert.deepEqual(await webhooks.list({ limit: 10 }), [first, second]);
    assert.deepEqual(await webhooks.list({ limit: 10, after: 1n }), [second]);
    assert.deepEqual(await webhooks.list({ limit: 10 }, 7n), [second]);
  });

  await t.test("records every change in the audit log, and none that changes nothing", async () => {
    await webhooks.update(1n, { types: null, description: null, url: "https://b.example.net/" }, stampAt(2));
    await webhooks.update(1n, { url: "https://b.example.net/" }, stampAt(3));
    await webhooks.update(1n, { status: "disabled" }, stampAt(4));
    await webhooks.update(1n, { status: "enabled" }, stampAt(5));
    await webhooks.rotate(1n, "k2", stampAt(6));
    assert.equal(await webhooks.delete(2n, stampAt(7)), true);
    assert.equal(await webhooks.delete(2n, stampAt(7)), false);
    assert.equal(await webhooks.update(2n, { status: "disabled" }, stampAt(7)), undefined);
    assert.equal(await webhooks.rotate(2n, "k2", stampAt(7)), undefined);
    const records = (await audited()).toReversed();
    assert.deepEqual(
      records.map(({ action, from, to }) => [action, from, to]),
      [
        [
          "webhook.created",
          undefined,
          { url: URL_1, types: ["pet.*"], description: "Website", status: "enabled" },
        ],
        ["webhook.created", undefined, { url: URL_1, status: "enabled" }],
        [
          "webhook.updated",
          { url: URL_1, types: ["pet.*"], description: "Website" },
          { url: "https://b.example.net/", types: null, description: null },
        ],
        [
          "webhook.disabled",
          { status: "enabled", disabledReason: null },
          { status: "disabled", disabledReason: "requested" },
        ],
        [
          "webhook.updated",
          { status: "disabled", disabledReason: "requested" },
          { status: "enabled", disabledReason: null },
        ],
        ["webhook.rotated", undefined, { oldEndsAt: new Date(6 + DAY_MS).toISOString() }],
        ["webhook.deleted", { url: URL_1, status: "enabled" }, undefined],
      ],
    );
    assert.deepEqual(records.at(-1)?.target, { webhookId: 2n });
    const { version, keyFingerprint } = (await webhooks.find(1n)) as Webhook;
    assert.deepEqual([version, keyFingerprint], [2, "k2"]);
  });

  await t.test("undoes a change whose audit record cannot be written", async () => {
    const before = [await webhooks.list({ limit: 100 }), await audited()];
    const broken = openAll(withoutAudit(db));
    const changes: Record<string, () => Promise<unknown>> = {
      create: () => broken.create(),
      update: () => broken.webhooks.update(1n, { description: "x" }, stampAt(8)),
      disable: () => broken.webhooks.update(1n, { status: "disabled" }, stampAt(8)),
      rotate: () => broken.webhooks.rotate(1n, "k3", stampAt(8)),
      delete: () => broken.webhooks.delete(1n, stampAt(8)),
    };
    for (const [what, change] of Object.entries(changes)) {
      await assert.rejects(change(), /no audit record/, what);
      assert.deepEqual([await webhooks.list({ limit: 100 }), await audited()], before, what);
    }
  });

  await t.test("allows 10 per key and 100 in all, also of many that are created at once", async () => {
    for (let i = 0; i < 8; i++) await create({ keyId: 20n });
    const last = await Promise.allSettled(Array.from({ length: 5 }, () => create({ keyId: 20n })));
    const codes = last.map((each) => (each.status === "fulfilled" ? "created" : each.reason.code));
    assert.deepEqual(codes.toSorted(), ["created", "created", ...Array(3).fill("too_many_webhooks")]);
    for (let key = 21n; key < 30n; key++)
      for (let i = 0; i < 10; i++) await create({ keyId: key }).catch(() => {});
    assert.equal((await webhooks.list({ limit: 1_000 })).length, 100);
    await assert.rejects(create({ keyId: 40n }), has("too_many_webhooks"));
    for (const { id, keyId } of await webhooks.list({ limit: 1_000 }))
      if (keyId !== 0n) await webhooks.delete(id, stampAt(1));
    await create({ keyId: 40n });
  });

  await t.test("starts after a cursor, and rejects one that is not in the history", async () => {
    await addPets(3);
    const { epoch } = await events.newest();
    const webhook = await create({ after: { epoch, number: 1n } });
    assert.deepEqual([webhook.number, webhook.pending], [1n, 2]);
    assert.equal((await create({})).number, 3n);
    await assert.rejects(create({ after: { epoch, number: 4n } }), has("feed_reset"));
    await assert.rejects(create({ after: { epoch: "0000000000000000", number: 1n } }), has("feed_reset"));
  });

  await t.test("a webhook is not enabled again when its key has ended", async () => {
    const secret = { hash: Buffer.alloc(32, 9), hint: "x" };
    const key = await keys.create({ name: "x", plan: "free", access: "manage" }, secret, stampAt(1));
    const webhook = await create({ keyId: key.id });
    await addPets(2);
    await take(webhook.id, 2);
    await keys.revoke(key.id, stampAt(2));
    await assert.rejects(openAll(withoutAudit(db)).take(webhook.id, 3), /no audit record/);
    assert.equal((await webhooks.find(webhook.id))?.disabledReason, undefined);
    await take(webhook.id, 3);
    assert.equal((await webhooks.find(webhook.id))?.disabledReason, "key_ended");
    const [newest] = await audited();
    assert.deepEqual([newest?.action, newest?.actor], ["webhook.disabled", { command: "serve" }]);
    for (const after of [undefined, "now"] as const) {
      const enabling = webhooks.update(
        webhook.id,
        { status: "enabled", ...(after && { after }) },
        stampAt(4),
      );
      await assert.rejects(enabling, has("invalid_transition"));
    }
    assert.equal((await webhooks.find(webhook.id))?.pending, 2, "nothing was skipped");
  });
});

testOnEngines("DispatchStore", async (t, db) => {
  const { webhooks, dispatch, create, addPets, categories, events, pets, keys, take, succeed, fail } =
    openAll(db);

  await t.test("turns each event into one delivery, also if many nodes ask at the same time", async () => {
    const { id } = await create({ types: ["pet.*"] });
    await addPets(20);
    await categories.put({ id: 1n, name: "Dogs" }, { atMs: 1 });
    const works = await Promise.all(Array.from({ length: 5 }, () => take(id, 1_000)));
    const claimed = works.flatMap((work) => work.claimed);
    assert.deepEqual(numbersOf(claimed), [1, 2, 3, 4], "the limit of an endpoint holds for all nodes");
    const rows = await webhooks.listDeliveries(id, { limit: 100 });
    assert.equal(rows.length, 20);
    assert.equal((await webhooks.find(id))?.pending, 20);
    const { epoch } = await events.newest();
    assert.deepEqual(
      claimed
        .map(({ delivery }) => delivery.eventId)
        .toSorted()
        .slice(0, 1),
      [`evt_${epoch}_1`],
    );
    assert.equal((await webhooks.find(id))?.number, 21n, "the position has passed events of other types");
    assert.deepEqual((await dispatch.look(1_000)).targets, [
      { id, keyId: 0n, keyFingerprint: "k1", failures: undefined, hasWork: true, behind: 0 },
    ]);
    await webhooks.delete(id, stampAt(1));
  });

  await t.test("claims only due deliveries, and again when a claim has ended", async () => {
    const { id } = await create();
    await addPets(1);
    const [claimed] = (await take(id, 1_000)).claimed as [ClaimedDelivery];
    assert.equal(claimed.claimedUntilMs, 1_000 + CLAIM_MS);
    assert.deepEqual((await take(id, 1_000 + CLAIM_MS - 1)).claimed, []);
    const [again] = (await take(id, 1_000 + CLAIM_MS)).claimed as [ClaimedDelivery];
    assert.equal(again.delivery.id, claimed.delivery.id);
    assert.equal(again.delivery.eventId, claimed.delivery.eventId);
    assert.equal(await succeed(claimed, 70_000), undefined, "the first node was too late");
    await fail(again, { atMs: 70_000, next: 80_000 });
    assert.deepEqual((await take(id, 79_999)).claimed, []);
    assert.equal((await dispatch.look(79_999)).targets[0]?.hasWork, false);
    const [third] = (await take(id, 80_000)).claimed as [ClaimedDelivery];
    await dispatch.release(third);
    const [fourth] = (await take(id, 80_000)).claimed as [ClaimedDelivery];
    await succeed(fourth, 80_001);
    const { failingSinceMs, lastFailureAtMs, lastSuccessAtMs } = (await webhooks.find(id)) as Webhook;
    assert.deepEqual([failingSinceMs, lastFailureAtMs, lastSuccessAtMs], [undefined, undefined, 80_001]);
    const [row] = await webhooks.listDeliveries(id, { limit: 1 });
    assert.deepEqual(
      [row?.status, row?.attempts, row?.lastStatus, row?.nextAttemptAtMs],
      ["delivered", 2, 204, undefined],
    );
    await webhooks.delete(id, stampAt(1));
  });

  await t.test("ends all claims at the start of the only node", async () => {
    const { id } = await create();
    await addPets(1);
    await take(id, 1_000);
    assert.deepEqual((await take(id, 1_001)).claimed, []);
    await dispatch.releaseAll();
    assert.equal((await take(id, 1_001)).claimed.length, 1);
    await webhooks.delete(id, stampAt(1));
  });

  await t.test("remembers failures until a success, and disables once", async () => {
    const { id } = await create();
    await addPets(3);
    const [a, b, c] = (await take(id, 1_000)).claimed as [ClaimedDelivery, ClaimedDelivery, ClaimedDelivery];
    assert.deepEqual(await fail(a, { atMs: 2_000 }), {
      failuresBefore: undefined,
      failures: { failingSinceMs: 2_000, lastFailureMs: 2_000 },
      disabledReason: undefined,
    });
    assert.deepEqual((await dispatch.measure()).failingSinceMs, [2_000]);
    const failures = { failingSinceMs: 2_000, lastFailureMs: 2_000 };
    assert.deepEqual((await dispatch.look(2_001)).targets[0]?.failures, failures);
    const older = { ...failures, lastFailureMs: 1_999 };
    assert.equal(await dispatch.disable(id, "failing", older, 2_001), false, "there were more attempts");
    const second = await fail(b, { atMs: 3_000, next: 9_000, reason: "failing" });
    assert.deepEqual(second, {
      failuresBefore: { failingSinceMs: 2_000, lastFailureMs: 2_000 },
      failures: { failingSinceMs: 2_000, lastFailureMs: 3_000 },
      disabledReason: "failing",
    });
    assert.equal((await webhooks.find(id))?.disabledReason, "failing");
    assert.equal((await fail(c, { atMs: 3_001, next: 9_000, reason: "failing" }))?.disabledReason, undefined);
    assert.deepEqual((await dispatch.look(10_000)).targets, []);
    const latest = { failingSinceMs: 2_000, lastFailureMs: 3_001 };
    assert.equal(await dispatch.disable(id, "failing", latest, 10_000), false, "it is disabled");
    await webhooks.update(id, { status: "enabled" }, stampAt(3_002));
    assert.equal(await dispatch.disable(id, "failing", latest, 10_000), false, "it begins again");
    await webhooks.update(id, { status: "disabled" }, stampAt(3_003));
    assert.deepEqual((await take(id, 10_000)).claimed, []);
    assert.deepEqual(await dispatch.measure(), {
      pending: 0,
      oldestPendingMs: undefined,
      failingSinceMs: [],
    });
    assert.deepEqual(
      (await webhooks.listDeliveries(id, { limit: 9 }, "failed")).map(({ id }) => id),
      [a.delivery.id],
    );
  });

  await t.test("continues without loss after it was disabled, or from now", async () => {
    const [{ id }] = (await webhooks.list({ limit: 1 })) as [Webhook];
    await addPets(2);
    assert.equal((await webhooks.find(id))?.pending, 4, "two deliveries, and two events without one");
    await webhooks.update(id, { status: "enabled" }, stampAt(4_000));
    const { claimed } = await take(id, 4_000);
    assert.equal(claimed.length, 4);
    for (const each of claimed) await succeed(each, 4_001);
    const webhook = await webhooks.find(id);
    assert.deepEqual(
      [webhook?.pending, webhook?.failingSinceMs, webhook?.lastSuccessAtMs],
      [0, undefined, 4_001],
    );
    await addPets(1);
    await take(id, 5_000);
    await webhooks.update(id, { status: "disabled" }, stampAt(5_000));
    await addPets(1);
    await webhooks.update(id, { status: "enabled", after: "now" }, stampAt(6_000));
    assert.equal((await webhooks.find(id))?.pending, 0);
    assert.deepEqual((await take(id, 1e9)).claimed, []);
    await addPets(1);
    assert.equal((await take(id, 1e9)).claimed.length, 1);
    await webhooks.delete(id, stampAt(1));
  });

  await t.test("replays one delivery, or all events after a cursor, with the same ids", async () => {
    const { id } = await create();
    const start = await events.newest();
    await addPets(3);
    const sent = (await take(id, 1_000)).claimed;
    for (const each of sent) await succeed(each, 1_001);
    const [one] = sent as [ClaimedDelivery];
    assert.equal((await webhooks.replay(id, { deliveryId: one.delivery.id }, 2_000))?.pending, 1);
    const [again] = (await take(id, 2_000)).claimed as [ClaimedDelivery];
    assert.deepEqual([again.delivery.eventId, again.delivery.attempts], [one.delivery.eventId, 0]);
    await succeed(again, 2_001);
    assert.equal((await webhooks.replay(id, { after: start }, 3_000))?.pending, 3);
    const all = (await take(id, 3_000)).claimed;
    assert.deepEqual(
      all.map(({ delivery }) => delivery.eventId).toSorted(),
      sent.map(({ delivery }) => delivery.eventId).toSorted(),
    );
    for (const each of all) await succeed(each, 3_001);
    assert.equal((await webhooks.listDeliveries(id, { limit: 9 })).length, 3, "no second row");
    await assert.rejects(webhooks.replay(id, { deliveryId: 999_999n }, 1), has("delivery_not_found"));
    await assert.rejects(webhooks.replay(id, { after: { ...start, number: 9_999n } }, 1), has("feed_reset"));
    await webhooks.delete(id, stampAt(1));
  });

  await t.test("a replayed delivery begins again: no attempts, and as old as its replay", async () => {
    const { id } = await create();
    const start = await events.newest();
    await addPets(1);
    const replays = [{ after: start }, { deliveryId: 0n }];
    let nowMs = 1_000;
    for (const what of replays) {
      const [claimed] = (await take(id, nowMs)).claimed as [ClaimedDelivery];
      await fail(claimed, { atMs: nowMs });
      nowMs += DAY_MS;
      const replay = "deliveryId" in what ? { deliveryId: claimed.delivery.id } : what;
      await webhooks.replay(id, replay, nowMs);
      await take(id, nowMs, { ...LIMITS, node: 0 });
      const [row] = await webhooks.listDeliveries(id, { limit: 1 });
      assert.deepEqual([row?.status, row?.attempts, row?.nextAttemptAtMs], ["pending", 0, nowMs]);
      assert.equal((await dispatch.measure()).oldestPendingMs, nowMs);
    }
    await webhooks.delete(id, stampAt(1));
  });

  await t.test("gives up only its own claim, and skipped deliveries leave their places", async () => {
    const { id } = await create();
    await addPets(4);
    const [lost] = (await take(id, 1_000, { ...LIMITS, node: 1 })).claimed as [ClaimedDelivery];
    const others = (await take(id, 1_000 + CLAIM_MS)).claimed;
    assert.equal(others.length, 4);
    await dispatch.release(lost);
    assert.deepEqual((await take(id, 1_001 + CLAIM_MS)).claimed, [], "the claim of the other node holds");
    await webhooks.update(id, { after: "now" }, stampAt(2_000));
    await addPets(4);
    assert.equal((await take(id, 1_002 + CLAIM_MS)).claimed.length, 4);
    assert.equal(await succeed(others[0] as ClaimedDelivery, 70_000), undefined, "it was skipped");
    await webhooks.delete(id, stampAt(1));
  });

  await t.test("runs one replay at a time for a webhook that has no deliveries yet", async () => {
    const start = await events.newest();
    await addPets(EVENTS_PER_PORTION + 2);
    const { id } = await create();
    const second = { ...start, number: start.number + 1n };
    assert.equal((await webhooks.replay(id, { after: second }, 2_000))?.number, second.number);
    await assert.rejects(webhooks.replay(id, { after: start }, 2_000), has("invalid_transition"));
    await webhooks.delete(id, stampAt(1));
  });

  await t.test("runs one replay after a cursor at a time", async () => {
    const { id } = await create();
    const start = await events.newest();
    const after = (number: bigint) => ({ after: { ...start, number: start.number + number } });
    await addPets(6);
    for (const each of (await take(id, 1_000)).claimed) await succeed(each, 1_001);
    assert.equal((await webhooks.replay(id, after(1n), 2_000))?.number, start.number + 1n);
    assert.equal(
      (await webhooks.replay(id, after(1n), 2_000))?.number,
      start.number + 1n,
      "nothing to change",
    );
    await take(id, 2_000, { ...LIMITS, node: 0, events: 2 });
    assert.equal((await webhooks.find(id))?.number, start.number + 3n);
    for (const number of [0n, 1n, 2n])
      await assert.rejects(webhooks.replay(id, after(number), 2_000), has("invalid_transition"));
    assert.equal((await webhooks.replay(id, after(4n), 2_000))?.number, start.number + 3n, "it comes there");
    await webhooks.update(id, { status: "disabled" }, stampAt(2_000));
    assert.equal((await webhooks.replay(id, after(2n), 2_000))?.number, start.number + 2n, "nothing runs");
    await webhooks.update(id, { status: "enabled" }, stampAt(2_000));
    await take(id, 2_000, { ...LIMITS, node: 0 });
    assert.equal((await webhooks.replay(id, after(0n), 2_000))?.number, start.number, "it has ended");
    await webhooks.delete(id, stampAt(1));
  });

  await t.test("takes no events without a limit for them, and then no more than it says", async () => {
    const { id, number } = await create();
    await addPets(3);
    const behind = async () => (await dispatch.look(1_000)).targets[0]?.behind;
    assert.equal(await behind(), 3);
    assert.deepEqual(await take(id, 1_000, { ...LIMITS, events: 0 }), { claimed: [], hasMore: false });
    assert.equal((await webhooks.find(id))?.number, number);
    assert.equal((await take(id, 1_000, { ...LIMITS, events: 2 })).hasMore, true);
    assert.deepEqual([await behind(), (await take(id, 1_000)).hasMore], [1, false]);
    await webhooks.delete(id, stampAt(1));
  });

  await t.test("keeps the reason of a webhook that is gone until it is enabled", async () => {
    const { id } = await create();
    await addPets(1);
    const [last] = (await take(id, 1_000)).claimed as [ClaimedDelivery];
    await fail(last, { atMs: 1_001, reason: "gone" });
    for (const changes of [{ status: "disabled" }, { description: "x" }] as const)
      assert.equal((await webhooks.update(id, changes, stampAt(1_002)))?.disabledReason, "gone");
    assert.equal(
      (await webhooks.update(id, { status: "enabled" }, stampAt(1_003)))?.disabledReason,
      undefined,
    );
    await webhooks.delete(id, stampAt(1));
  });

  await t.test("claims the delivery that was due first, whatever its number is", async () => {
    const { id } = await create();
    await addPets(3);
    const [a, b, c] = (await take(id, 1_000)).claimed.toSorted((x, y) =>
      Number(x.event.number - y.event.number),
    ) as [ClaimedDelivery, ClaimedDelivery, ClaimedDelivery];
    await fail(a, { atMs: 1_001, next: 3_000 });
    await fail(b, { atMs: 1_001, next: 4_000 });
    await fail(c, { atMs: 1_001, next: 2_000 });
    const order: bigint[] = [];
    for (let i = 0; i < 3; i++)
      order.push(...(await take(id, 5_000, { ...LIMITS, node: 1 })).claimed.map((each) => each.delivery.id));
    assert.deepEqual(order, [c.delivery.id, a.delivery.id, b.delivery.id]);
    await webhooks.delete(id, stampAt(1));
  });

  await t.test(
    "has work for a webhook whose key has expired, also without events, and disables it",
    async () => {
      const secret = { hash: Buffer.alloc(32, 5), hint: "x" };
      const settings = { name: "x", plan: "free", access: "manage", expiresAtMs: 5_000 } as const;
      const key = await keys.create(settings, secret, stampAt(1));
      const { id } = await create({ keyId: key.id });
      assert.equal((await dispatch.look(4_999)).targets[0]?.hasWork, false);
      assert.equal((await take(id, 4_999)).disabledReason, undefined);
      assert.equal((await dispatch.look(5_000)).targets[0]?.hasWork, true);
      assert.equal((await take(id, 5_000)).disabledReason, "key_ended");
      assert.equal((await webhooks.find(id))?.disabledReason, "key_ended");
      await webhooks.delete(id, stampAt(1));
    },
  );

  await t.test("gives a key only what it may see, also if its access was lowered later", async () => {
    const secret = { hash: Buffer.alloc(32, 1), hint: "x" };
    const key = await keys.create({ name: "x", plan: "free", access: "manage" }, secret, stampAt(1));
    const { id } = await create({ keyId: key.id });
    const pet = await pets.create(REX, { atMs: 1 });
    const { createOrderStore } = await import("../../src/storage/stores/orders/orders.ts");
    await createOrderStore(db, { holdMs: 60_000 }).create({ petId: pet.id }, { keyId: 99n, atMs: 1 });
    await take(id, 1_000, { ...LIMITS, node: 0 });
    await keys.update(key.id, (before) => ({ ...before, access: "browse" }), stampAt(2));
    const { claimed } = await take(id, 1_000);
    assert.deepEqual(claimed.map(({ event }) => event.type).toSorted(), ["pet.created", "pet.updated"]);
    const [hidden] = await webhooks.listDeliveries(id, { limit: 9 }, "failed");
    assert.equal(hidden?.type, "order.created");
    assert.equal((await webhooks.find(id))?.failingSinceMs, undefined, "not the receiver's fault");
    await webhooks.delete(id, stampAt(1));
  });

  await t.test(
    "deletes old deliveries in steps, never pending ones, and all of a deleted webhook",
    async () => {
      while ((await dispatch.forget(0)) > 0);
      assert.equal((await db.first("SELECT count(*) AS count FROM deliveries"))?.count, 0n);
      const { id } = await create();
      await addPets(3);
      const [done, left] = (await take(id, 1_000)).claimed as [ClaimedDelivery, ClaimedDelivery];
      await succeed(done, 1_001);
      await fail(left, { atMs: 1_001 });
      assert.equal(await dispatch.forget(1_000 + 30 * DAY_MS - 1), 0);
      assert.equal(await dispatch.forget(1_000 + 30 * DAY_MS), 2);
      assert.equal((await webhooks.listDeliveries(id, { limit: 9 })).length, 1);
      await webhooks.delete(id, stampAt(1));
      assert.equal(await dispatch.forget(0), 1);
    },
  );

  await t.test("takes a long history in steps, each with its position", async () => {
    const { id } = await create();
    await addPets(3);
    const { newest } = await dispatch.look(1_000);
    const insert = `INSERT INTO history (number, what, pet_id, state_after, at_ms)
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1200)
      SELECT ${newest} + i, 'pet.updated', 77, '{"status":"sold","name":"x","categoryId":"1"}', 10 FROM n`;
    await db.transaction((tx) => tx.run(insert));
    const steps: boolean[] = [];
    do steps.push((await take(id, 1_000, { ...LIMITS, node: 0 })).hasMore);
    while (steps.at(-1));
    assert.deepEqual(steps, [true, true, false]);
    const figures = await dispatch.measure();
    assert.deepEqual([figures.pending, figures.oldestPendingMs], [1_203, 1_000]);
    assert.equal((await webhooks.find(id))?.pending, 1_203);

    await webhooks.update(id, { status: "disabled" }, stampAt(4));
    await webhooks.update(id, { status: "enabled" }, stampAt(5));
    const later = "SELECT count(*) AS count FROM deliveries WHERE next_attempt_at_ms > 5";
    assert.equal((await db.first(later))?.count, 0n, "all are due at once");
    const skipped = await webhooks.update(id, { after: "now" }, stampAt(6));
    assert.equal(skipped?.pending, 0);
    assert.equal((await webhooks.listDeliveries(id, { limit: 2_000 }, "failed")).length, 1_203);
  });
});
