// Stored responses to requests with an Idempotency-Key, on every engine.

import assert from "node:assert/strict";
import { setImmediate as nextTick } from "node:timers/promises";
import type { KeptAnswer, PostStores } from "../../src/domain/idempotency.ts";
import type { Database } from "../../src/storage/database.ts";
import { createPetStore } from "../../src/storage/stores/animals/pets.ts";
import {
  createIdempotencyStore,
  type IdempotencyOptions,
  type Touched,
} from "../../src/storage/stores/kept-answers.ts";
import { testOnEngines } from "./engines.ts";

const ORIGIN = { keyId: 1n, atMs: 1_000 };
const REX = { name: "Rex", categoryId: 3n, status: "available" } as const;

const isService = (code: string) => (error: unknown) => (error as { code?: string }).code === code;
const count = async (db: Database, table: string) =>
  Number((await db.first(`SELECT count(*) AS count FROM ${table}`))?.count);

/** The store, and the changes that it has published. */
function openStore(db: Database) {
  const published: Array<[string, number | undefined]> = [];
  const bind: IdempotencyOptions["bind"] = (joined) => {
    const touched = new Map<string, number>();
    const pets = createPetStore(joined, async (version) => void touched.set("pets", version));
    return { stores: { pets } as unknown as PostStores, touched };
  };
  const publishChanges = async (touched: Touched) => void published.push(...touched);
  return { ...createIdempotencyStore(db, { bind, publishChanges }), bind, publishChanges, published };
}

const named = (name: string, body = "") => ({
  name: Buffer.from(name.padEnd(32)),
  fingerprint: Buffer.from(body.padEnd(32)),
  nowMs: 1_000,
});
const answer: KeptAnswer = { status: 201, location: "here", body: Buffer.from([0, 255, 10]) };
const respond = async () => answer;

testOnEngines("Stored responses", async (t, db) => {
  const { perform, forget, published } = openStore(db);

  await t.test("stores the response with the work, and reports the changes again with a replay", async () => {
    const work = async ({ pets }: PostStores) => {
      await pets.create(REX, ORIGIN);
      return answer;
    };
    assert.deepEqual(await perform(named("a"), work), { ...answer, isReplayed: false });
    assert.deepEqual(await perform(named("a"), work), { ...answer, isReplayed: true });
    assert.equal(await count(db, "pets"), 1);
    assert.deepEqual(published, [
      ["pets", 1],
      ["pets", undefined],
    ]);
    await assert.rejects(perform(named("a", "other"), work), isService("idempotency_key_reused"));
  });

  await t.test("stores neither response nor work if the work fails", async () => {
    const fail = async ({ pets }: PostStores) => {
      await pets.create(REX, ORIGIN);
      throw new Error("on purpose");
    };
    await assert.rejects(perform(named("b"), fail), /on purpose/);
    assert.equal(await count(db, "pets"), 1);
    assert.equal((await perform(named("b"), respond)).isReplayed, false);
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
    const steps = [await forget(nowMs), await forget(nowMs), await forget(nowMs)];
    assert.deepEqual([...steps, await forget(nowMs)], [500, 500, 200, 0]);
    assert.equal((await perform(named("a"), respond)).isReplayed, true, "younger ones stay");
    assert.equal(await forget(nowMs + 1), 2);
  });
});

testOnEngines("Claims of Idempotency-Keys", async (t, db) => {
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

  await t.test("releases the claim if the work fails", async () => {
    const fail = db.transaction(() => Promise.reject(new Error("no")), { claim: 42n });
    await assert.rejects(fail, /no/);
    assert.equal(await db.transaction(async () => "free", { claim: 42n }), "free");
  });
});

testOnEngines("Work before the transaction", async (t, db) => {
  const { perform, bind, publishChanges } = openStore(db);

  await t.test("prepares nothing if the other request has finished since the first read", async () => {
    await perform(named("prepared"), respond);
    const earlier: Database = { ...db, batched: async () => undefined };
    const late = createIdempotencyStore(earlier, { bind, publishChanges });
    const prepare = () => assert.fail("prepared again");
    const { isReplayed } = await late.perform(named("prepared"), respond, prepare);
    assert.equal(isReplayed, true);
  });

  await t.test("releases the key if the preparation or the work fails", async () => {
    const fail = () => Promise.reject(new Error("on purpose"));
    const works = { preparation: [respond, fail], work: [fail, async () => {}] } as const;
    for (const [what, [work, prepare]] of Object.entries(works)) {
      await assert.rejects(perform(named(what), work, prepare), /on purpose/);
      const again = await perform(named(what), respond, async () => {});
      assert.equal(again.isReplayed, false, what);
    }
    const rows = await db.all("SELECT status FROM idempotency_keys WHERE status = 0");
    assert.deepEqual(rows, [], "no claim is left");
  });

  await t.test("does not do the work of a request that has lost its claim", async () => {
    const { promise: prepared, resolve: finish } = Promise.withResolvers<void>();
    const { promise: working, resolve: work } = Promise.withResolvers<void>();
    let steps = 0;
    const slow = perform(
      named("lost"),
      () => assert.fail("worked twice"),
      () => {
        steps += 1;
        return prepared;
      },
    );
    while (steps === 0) await nextTick();
    const later = { ...named("lost"), nowMs: named("").nowMs + 120_000 };
    const second = perform(later, respond, () => {
      steps += 1;
      return working;
    });
    while (steps === 1) await nextTick();
    finish();
    await assert.rejects(slow, isService("idempotency_in_progress"));
    // The first one has not released the claim of the second.
    const third = perform(later, respond, () => assert.fail("prepared again"));
    await assert.rejects(third, isService("idempotency_in_progress"));
    work();
    assert.equal((await second).isReplayed, false);
  });
});
