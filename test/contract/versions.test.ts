// Versions on every engine: they change with the data, in one order, and nodes see each other.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { KeySettings } from "../../src/domain/keys/api-key.ts";
import { migrate } from "../../src/storage/migrations/migrate.ts";
import { openPostgres } from "../../src/storage/postgres/engine.ts";
import { createCategoryStore } from "../../src/storage/stores/animals/categories.ts";
import { createPetStore } from "../../src/storage/stores/animals/pets.ts";
import { createNodeStore } from "../../src/storage/stores/basics/nodes.ts";
import { createVersionStore } from "../../src/storage/stores/basics/versions.ts";
import { createKeyStore } from "../../src/storage/stores/keys/api-keys.ts";
import { createOrderStore } from "../../src/storage/stores/orders/orders.ts";
import { stampAt } from "../harness/clients/audit.ts";
import { createTestDatabase } from "../harness/servers/databases.ts";
import { testOnEngines } from "./engines.ts";

const SETTINGS: KeySettings = { name: "Website", plan: "free", access: "browse" };
const ORIGIN = { atMs: 1_000, keyId: 1n };

testOnEngines("Versions", async (t, db) => {
  const versions = createVersionStore(db);
  const reported: number[] = [];
  const changed = async (version: number) => void reported.push(version);
  const pets = createPetStore(db, changed);
  const orders = createOrderStore(db, { holdMs: 1_000, changed });
  const categories = createCategoryStore(db, changed);

  await t.test("the animals' version rises with every change, and the listener gets the newest", async () => {
    const steps: Array<[string, () => Promise<unknown>]> = [
      ["create", () => pets.create({ name: "Rex", categoryId: 1n, status: "available" }, ORIGIN)],
      ["update", () => pets.update(1n, { name: "Max" }, ORIGIN)],
      ["order", () => orders.create({ petId: 1n }, ORIGIN)],
      ["move", () => orders.move(1n, "cancelled", ORIGIN, {})],
      ["order", () => orders.create({ petId: 1n }, ORIGIN)],
      ["expiry", () => orders.expire(9_000)],
      ["delete", () => pets.delete(1n, ORIGIN)],
    ];
    for (const [what, step] of steps) {
      const before = (await versions.read()).pets;
      reported.length = 0;
      await step();
      const after = (await versions.read()).pets;
      assert.ok(after > before, what);
      assert.deepEqual(reported, [after], what);
    }
  });

  await t.test("the animals' version stays while the data stays", async () => {
    const pet = await pets.create({ name: "Rex", categoryId: 1n, status: "available" }, ORIGIN);
    await categories.put({ id: 1n, name: "Dogs" }, ORIGIN);
    const before = await versions.read();
    reported.length = 0;
    await pets.update(pet.id, { name: "Rex" }, ORIGIN);
    assert.equal(await categories.put({ id: 1n, name: "Dogs" }, ORIGIN), "renamed");
    assert.equal(await categories.delete(2n, ORIGIN), false);
    assert.equal(await pets.delete(99n, ORIGIN), false);
    assert.equal(await orders.expire(9_000), 0);
    assert.deepEqual([await versions.read(), reported], [before, []]);
  });

  await t.test("the version of a key rises with every change, except for its last use", async () => {
    const reportedKeys: Array<[bigint, number]> = [];
    const keys = createKeyStore(db, async (id, version) => void reportedKeys.push([id, version]));
    const secret = (name: string) => ({ hash: Buffer.alloc(32, name), hint: name });
    const one = await keys.create(SETTINGS, secret("a"), stampAt(1_000));
    const two = await keys.create(SETTINGS, secret("b"), stampAt(1_000));
    await keys.touch(one.id, 2_000);
    await keys.touchDeprecated(one.id, 2_000);
    assert.deepEqual([(await versions.read()).keys, reportedKeys], [0, []]);

    await keys.update(one.id, (key) => ({ ...key, plan: "pro" }), stampAt(2_000));
    await keys.rotate(two.id, () => secret("c"), { ...stampAt(2_000), endsAtMs: 2_000 });
    await keys.unban(one.id, 3_000, stampAt(3_000));
    const revoked = await keys.revoke(one.id, stampAt(4_000));
    assert.deepEqual(reportedKeys, [
      [one.id, 1],
      [two.id, 2],
      [one.id, 3],
      [one.id, 4],
    ]);
    assert.equal(revoked?.version, 4);
    assert.equal((await keys.findBySecret(secret("c").hash, 3_000))?.version, 2);
    assert.equal((await versions.read()).keys, 4);
    assert.deepEqual(await versions.listChangedKeys(1, 10), [
      { id: two.id, version: 2 },
      { id: one.id, version: 4 },
    ]);
    assert.deepEqual(await versions.listChangedKeys(4, 10), []);

    const refused = keys.update(
      two.id,
      () => {
        throw new Error("no");
      },
      stampAt(2_000),
    );
    await assert.rejects(refused, /no/);
    assert.equal(await keys.revoke(one.id, stampAt(5_000)), undefined);
    assert.equal((await versions.read()).keys, 4, "nothing was changed");
  });

  await t.test("concurrent renewals give one new epoch", async () => {
    const { epoch } = await versions.read();
    await Promise.all([1, 2, 3].map(() => versions.renewEpoch(epoch)));
    const renewed = (await versions.read()).epoch;
    assert.notEqual(renewed, epoch);
    await versions.renewEpoch(epoch);
    assert.equal((await versions.read()).epoch, renewed);
  });
});

test("Nodes on PostgreSQL count those that were seen within 5 s by the database's clock", async (t) => {
  const db = openPostgres(await createTestDatabase(t), { poolSize: 5 });
  t.after(() => db.close());
  await migrate(db, 0);
  const nodes = createNodeStore(db);
  assert.equal(await nodes.beat("one"), 1);
  assert.equal(await nodes.beat("two"), 2);
  assert.equal(await nodes.beat("one"), 2);
  await nodes.leave("two");
  assert.equal(await nodes.beat("one"), 1);
  await nodes.beat("killed");
  const age = "UPDATE nodes SET seen_at_ms = seen_at_ms - 5001 WHERE id = 'killed'";
  await db.transaction((tx) => tx.run(age));
  assert.equal(await nodes.beat("one"), 1);
  assert.equal((await db.first("SELECT count(*) AS count FROM nodes"))?.count, 1n, "its row is gone");
  const beats = await Promise.all(Array.from({ length: 12 }, (_, index) => nodes.beat(`node ${index % 4}`)));
  assert.equal(Math.max(...beats), 5);
});

testOnEngines("Nodes", async (_, db) => {
  const nodes = createNodeStore(db);
  assert.equal(await nodes.beat("one"), 1);
  await nodes.leave("one");
});
