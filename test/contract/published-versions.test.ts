// The moment when stores publish a version: after COMMIT, so that no reader caches the old page under the new version.

import assert from "node:assert/strict";
import { readConfig } from "../../src/config/config.ts";
import type { Gate } from "../../src/domain/keys/gate.ts";
import type { Database } from "../../src/storage/database.ts";
import { createStores, type Stores } from "../../src/stores.ts";
import { ACTOR } from "../harness/clients/audit.ts";
import { createClock } from "../harness/servers/app.ts";
import { testOnEngines } from "./engines.ts";

const STAMP = { keyId: 1n, atMs: 1_000 };
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
  const pet = await stores.pets.create(REX, STAMP);
  const { key } = await stores.keyRing.create({ name: "x", plan: "free", access: "manage" }, ACTOR);

  const request = { name: Buffer.alloc(32, 1), fingerprint: Buffer.alloc(32), nowMs: 1_000 };
  const changes: Record<string, Change> = {
    "a new animal": ({ pets }) => pets.create(REX, STAMP),
    "a new order": ({ orders }) => orders.create({ petId: pet.id }, STAMP),
    "a changed key": ({ keyRing }) => keyRing.update(key.id, { name: "y" }, ACTOR),
    "an idempotent request": ({ idempotency }) =>
      idempotency.perform(request, async ({ pets }) => {
        await pets.create(REX, STAMP);
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
