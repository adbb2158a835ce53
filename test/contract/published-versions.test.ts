// When stores publish a version: after COMMIT, so that no reader caches the old page under it, and again with a replay.

import assert from "node:assert/strict";
import { readConfig } from "../../src/config/config.ts";
import type { KeptAnswer, PostStores } from "../../src/domain/idempotency.ts";
import type { Gate } from "../../src/domain/keys/gate.ts";
import type { Database } from "../../src/storage/database.ts";
import { createStores, type Stores } from "../../src/stores.ts";
import { ACTOR } from "../harness/clients/audit.ts";
import { createClock } from "../harness/servers/app.ts";
import { testOnEngines } from "./engines.ts";

const ORIGIN = { keyId: 1n, atMs: 1_000 };
const REX = { name: "Rex", categoryId: 3n, status: "available" } as const;

/** Everything that publishing is about, as a reader outside the transaction sees it. */
async function readState(db: Database): Promise<string> {
  const row =
    await db.first(`SELECT (SELECT count(*) FROM pets) AS pets, (SELECT count(*) FROM orders) AS orders,
    (SELECT count(*) FROM history) AS history, (SELECT keys_version FROM store) AS keys`);
  return Object.entries(row ?? {}).join(" ");
}

type Change = (stores: Stores) => Promise<unknown>;

testOnEngines("a published version", async (t, db) => {
  /** The state that a reader saw at each publication. */
  const seen: string[] = [];
  const publish = async () => void seen.push(await readState(db));
  const gate = {
    hasVersions: true,
    generation: () => 0,
    publishPetsVersion: publish,
    publishKeyVersion: publish,
  } as Partial<Gate> as Gate;
  const storesOn = (database: Database) => createStores(database, readConfig({}), createClock(1_000), gate);
  /** As if COMMIT failed: the work is done, then rolled back. */
  const failing: Database = {
    ...db,
    transaction: (work, options) =>
      db.transaction(async (tx) => {
        // Without `finish`, COMMIT is not sent along with the last statement.
        await work({ ...tx, finish: tx.batched });
        throw new Error("COMMIT failed");
      }, options),
  };
  const stores = storesOn(db);
  const pet = await stores.pets.create(REX, ORIGIN);
  const { key } = await stores.keyRing.create({ name: "x", plan: "free", access: "manage" }, ACTOR);

  const request = { name: Buffer.alloc(32, 1), fingerprint: Buffer.alloc(32), nowMs: 1_000 };
  const changes: Record<string, Change> = {
    "a new animal": ({ pets }) => pets.create(REX, ORIGIN),
    "a new order": ({ orders }) => orders.create({ petId: pet.id }, ORIGIN),
    "a changed key": ({ keyRing }) => keyRing.update(key.id, { name: "y" }, ACTOR),
    "an idempotent request": ({ idempotency }) =>
      idempotency.perform(request, async ({ pets }) => {
        await pets.create(REX, ORIGIN);
        return { status: 201, body: Buffer.from("{}") };
      }),
  };
  for (const [what, change] of Object.entries(changes)) {
    await t.test(`the version of ${what} is not published when it is rolled back`, async () => {
      const before = await readState(db);
      seen.length = 0;
      await assert.rejects(change(storesOn(failing)), /COMMIT failed/);
      assert.deepEqual(seen, []);
      assert.equal(await readState(db), before);
    });

    await t.test(`the version of ${what} is published when every reader sees the change`, async () => {
      const before = await readState(db);
      seen.length = 0;
      await change(stores);
      const after = await readState(db);
      assert.notEqual(after, before);
      assert.deepEqual(seen, [after]);
    });
  }
});

const ANSWER: KeptAnswer = { status: 201, body: Buffer.from("{}") };

/** The parser of release 1.0. */
function readAsRelease10(touched: string): Array<"pets" | bigint> {
  const words = touched.split(",").filter((each) => each !== "");
  return words.map((each) => (each === "pets" ? "pets" : BigInt(each.slice("key:".length))));
}

testOnEngines("Replays", async (t, db) => {
  const published: unknown[] = [];
  const gate = {
    hasVersions: true,
    generation: () => 0,
    publishPetsVersion: async (version: number) => void published.push(version),
    publishKeyVersion: async (id: bigint, version: number) => void published.push([id, version]),
  } as Partial<Gate> as Gate;
  const { idempotency, pets, keyRing } = createStores(db, readConfig({}), createClock(1_000), gate);
  const { key } = await keyRing.create({ name: "x", plan: "free", access: "manage" }, ACTOR);
  const perform = async (name: string, work: (stores: PostStores) => Promise<unknown>) => {
    const request = { name: Buffer.alloc(32, name), fingerprint: Buffer.alloc(32), nowMs: 1_000 };
    published.length = 0;
    return idempotency.perform(request, async (stores) => {
      await work(stores);
      return ANSWER;
    });
  };
  const change = async ({ pets, keyRing }: PostStores) => {
    await pets.create(REX, ORIGIN);
    await keyRing.rotate(key.id, ACTOR);
  };

  await t.test("the first response publishes the versions of its change", async () => {
    await perform("a", change);
    assert.deepEqual(published, [1, [key.id, 1]]);
  });

  await t.test("the changes are stored in the format of release 1.0", async () => {
    const row = await db.first("SELECT touched FROM idempotency_keys");
    assert.deepEqual(readAsRelease10(row?.touched as string), ["pets", key.id]);
  });

  await t.test("a replay publishes the current versions, never lower ones than it stored", async () => {
    await pets.create(REX, ORIGIN);
    await keyRing.update(key.id, { name: "y" }, ACTOR);
    assert.equal((await perform("a", change)).isReplayed, true);
    assert.deepEqual(published, [2, [key.id, 2]]);
  });

  await t.test("a replay publishes nothing if nothing was changed", async () => {
    await perform("b", async () => {});
    await perform("b", async () => {});
    assert.deepEqual(published, []);
  });
});
