// Stored responses to requests with an Idempotency-Key, on every engine.

import assert from "node:assert/strict";
import { setImmediate as nextTick } from "node:timers/promises";
import type { KeptAnswer, PostStores } from "../../src/domain/idempotency.ts";
import type { Database } from "../../src/storage/database.ts";
import { createPetStore } from "../../src/storage/stores/animals/pets.ts";
import {
  type BindStores,
  createIdempotencyStore,
  type Touched,
} from "../../src/storage/stores/idempotency.ts";
import { testOnEngines } from "./engines.ts";

const STAMP = { keyId: 1n, atMs: 1_000 };
const REX = { name: "Rex", categoryId: 3n, status: "available" } as const;

const isService = (code: string) => (error: unknown) => (error as { code?: string }).code === code;
const count = async (db: Database, table: string) =>
  Number((await db.first(`SELECT count(*) AS count FROM ${table}`))?.count);

testOnEngines("IdempotencyStore", async (t, db) => {
  const told: Array<[string, number | undefined]> = [];
  const bind: BindStores = (joined) => {
    const touched = new Map<string, number>();
    const pets = createPetStore(joined, async (version) => void touched.set("pets", version));
    return { stores: { pets } as unknown as PostStores, touched };
  };
  const publishChanges = async (touched: Touched) => void told.push(...touched);
  const idempotency = createIdempotencyStore(db, { bind, publishChanges });
  const named = (name: string, body = "") => ({
    name: Buffer.from(name.padEnd(32)),
    fingerprint: Buffer.from(body.padEnd(32)),
    nowMs: 1_000,
  });
  const answer: KeptAnswer = { status: 201, location: "here", body: Buffer.from([0, 255, 10]) };

  await t.test("stores the response with the work, and reports the changes again with a replay", async () => {
    const work = async ({ pets }: PostStores) => {
      await pets.create(REX, STAMP);
      return answer;
    };
    assert.deepEqual(await idempotency.perform(named("a"), work), { ...answer, isReplayed: false });
    assert.deepEqual(await idempotency.perform(named("a"), work), { ...answer, isReplayed: true });
    assert.equal(await count(db, "pets"), 1);
    assert.deepEqual(told, [
      ["pets", 1],
      ["pets", undefined],
    ]);
    await assert.rejects(idempotency.perform(named("a", "other"), work), isService("idempotency_key_reused"));
  });

  await t.test("stores neither response nor work if the work fails", async () => {
    const fail = async ({ pets }: PostStores) => {
      await pets.create(REX, STAMP);
      throw new Error("on purpose");
    };
    await assert.rejects(idempotency.perform(named("b"), fail), /on purpose/);
    assert.equal(await count(db, "pets"), 1);
    assert.equal((await idempotency.perform(named("b"), async () => answer)).isReplayed, false);
  });

  await t.test("refuses the same request while it runs, but no other", async () => {
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
    const slow = db.transaction(
      async () => {
        begin();
        await released;
      },
      { claim: 42n },
    );
    await begun;
    await assert.rejects(
      db.transaction(async () => {}, { claim: 42n }),
      isService("idempotency_in_progress"),
    );
    const other = db.transaction(async () => "done", { claim: 43n });
    release();
    await slow;
    assert.equal(await other, "done");
    assert.equal(await db.transaction(async () => "again", { claim: 42n }), "again");
  });

  await t.test("replays a finished request to many callers at the same time", async () => {
    const replays = Array.from({ length: 20 }, () => idempotency.perform(named("a"), async () => answer));
    for (const { isReplayed } of await Promise.all(replays)) assert.equal(isReplayed, true);
  });

  await t.test("releases the claim if the work fails", async () => {
    const fail = db.transaction(() => Promise.reject(new Error("no")), { claim: 42n });
    await assert.rejects(fail, /no/);
    assert.equal(await db.transaction(async () => "free", { claim: 42n }), "free");
  });

  await t.test("prepares once for many callers at the same time", async () => {
    const { promise: prepared, resolve: finish } = Promise.withResolvers<void>();
    let preparations = 0;
    const perform = () =>
      idempotency.perform(
        named("prepared"),
        async () => answer,
        () => {
          preparations += 1;
          return prepared;
        },
      );
    const first = perform();
    while (preparations === 0) await nextTick();
    const others = await Promise.allSettled(Array.from({ length: 19 }, perform));
    const reasons = others.map((each) => each.status === "rejected" && each.reason.code);
    assert.deepEqual(new Set(reasons), new Set(["idempotency_in_progress"]));
    finish();
    assert.equal((await first).isReplayed, false);
    assert.equal((await perform()).isReplayed, true);
    assert.equal(preparations, 1);
  });

  await t.test("prepares nothing if the other request has finished since the first read", async () => {
    const earlier: Database = { ...db, batched: async () => undefined };
    const late = createIdempotencyStore(earlier, { bind, publishChanges });
    const prepare = () => assert.fail("prepared again");
    const { isReplayed } = await late.perform(named("prepared"), async () => answer, prepare);
    assert.equal(isReplayed, true);
  });

  await t.test("releases the key if the preparation or the work fails", async () => {
    const fail = () => Promise.reject(new Error("on purpose"));
    const works = { preparation: [async () => answer, fail], work: [fail, async () => {}] } as const;
    for (const [what, [work, prepare]] of Object.entries(works)) {
      await assert.rejects(idempotency.perform(named(what), work, prepare), /on purpose/);
      const again = await idempotency.perform(
        named(what),
        async () => answer,
        async () => {},
      );
      assert.equal(again.isReplayed, false, what);
    }
    const rows = await db.all("SELECT status FROM idempotency_keys WHERE status = 0");
    assert.deepEqual(rows, [], "no claim is left");
  });

  await t.test(
    "lets another request prepare two minutes after a node has stopped in the middle",
    async () => {
      const never = new Promise<never>(() => {});
      let hasBegun = false;
      void idempotency.perform(
        named("stopped"),
        async () => answer,
        () => {
          hasBegun = true;
          return never;
        },
      );
      while (!hasBegun) await nextTick();
      const laterBy = (ms: number) => ({ ...named("stopped"), nowMs: named("").nowMs + ms });
      const retry = (ms: number) =>
        idempotency.perform(
          laterBy(ms),
          async () => answer,
          async () => {},
        );
      await assert.rejects(retry(119_999), isService("idempotency_in_progress"));
      assert.equal((await retry(120_000)).isReplayed, false);
      assert.equal((await retry(120_001)).isReplayed, true);
    },
  );

  await t.test("does not do the work of a request that has lost its claim", async () => {
    const { promise: prepared, resolve: finish } = Promise.withResolvers<void>();
    const { promise: working, resolve: work } = Promise.withResolvers<void>();
    let steps = 0;
    const slow = idempotency.perform(
      named("lost"),
      () => assert.fail("worked twice"),
      () => {
        steps += 1;
        return prepared;
      },
    );
    while (steps === 0) await nextTick();
    const later = { ...named("lost"), nowMs: named("").nowMs + 120_000 };
    const second = idempotency.perform(
      later,
      async () => answer,
      () => {
        steps += 1;
        return working;
      },
    );
    while (steps === 1) await nextTick();
    finish();
    await assert.rejects(slow, isService("idempotency_in_progress"));
    // The first one has not released the claim of the second.
    const third = idempotency.perform(
      later,
      async () => answer,
      () => assert.fail("prepared again"),
    );
    await assert.rejects(third, isService("idempotency_in_progress"));
    work();
    assert.equal((await second).isReplayed, false);
  });

  await t.test("deletes responses that are a day old, 500 at a time", async () => {
    await db.transaction(
      async (tx) => {
        for (let i = 0; i < 1_200; i++) {
          await tx.run(
            "INSERT INTO idempotency_keys (name, fingerprint, status, body, touched, created_at_ms) VALUES ($1, $2, 200, $2, '', $3)",
            [Buffer.from(`old ${i}`), Buffer.alloc(0), 500],
          );
        }
      },
      { deadlineMs: 30_000 },
    );
    const nowMs = 86_400_000 + 999;
    const steps = [
      await idempotency.forget(nowMs),
      await idempotency.forget(nowMs),
      await idempotency.forget(nowMs),
    ];
    assert.deepEqual([...steps, await idempotency.forget(nowMs)], [500, 500, 200, 0]);
    assert.equal(
      (await idempotency.perform(named("a"), async () => answer)).isReplayed,
      true,
      "younger ones stay",
    );
    assert.ok((await idempotency.forget(nowMs + 1)) > 1);
    assert.equal(await idempotency.forget(2 * nowMs), 2, "the late ones");
  });
});
