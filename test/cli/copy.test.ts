// `copy` from SQLite to PostgreSQL and back, as an operator runs it.

import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { commandsIn } from "../harness/clients/commands.ts";
import { makeFolder } from "../harness/runner/folder.ts";
import { createTestDatabase } from "../harness/servers/databases.ts";
import { startNode } from "../harness/servers/node.ts";
import { findFreePort } from "../harness/servers/ports.ts";
import { startRedis } from "../harness/servers/redis.ts";
import { fillStore, makeStore } from "./stores.ts";

/** More than two steps of the copy. */
const ANIMALS = 1_203;

/** The address of a SQLite store that does not exist yet. */
function newStore(t: TestContext): string {
  return `sqlite:${makeFolder(t)}/target.db`;
}

test("copy to PostgreSQL and back keeps all data, keys and counts", { timeout: 120_000 }, async (t) => {
  const { environment, db } = await makeStore(t);
  await fillStore(db, ANIMALS);
  await db.close();
  const source = await startNode(t, environment);
  const { id, key } = await source.createKey({ expiresAt: "2099-01-01T00:00:00Z" });
  await source.call("POST", `/keys/${id}/rotate`);
  for (let i = 0; i < 7; i++) await source.call("GET", "/pets", { key });
  const order = { body: { petId: 1 }, headers: { "idempotency-key": "moved" } };
  await source.call("POST", "/store/orders", order);
  await source.call("PUT", "/categories/-3", { body: { name: "Cats" } });
  const paths = [
    "/store/orders",
    "/categories",
    "/shelters",
    "/pets/1/history",
    "/store/inventory",
    "/pets?limit=100",
  ];
  const readAll = (service: typeof source) =>
    Promise.all(paths.map(async (path) => (await service.call("GET", path)).text));
  const shelter = {
    name: "Riverside",
    address: { city: "Köln" },
    location: { latitude: -1.5, longitude: 7 },
  };
  assert.equal((await source.call("POST", "/shelters", { body: shelter })).status, 201);
  const { key: ownKey } = await source.createKey({ shelterId: 2 });
  const before = await readAll(source);
  const postgres = await createTestDatabase(t);
  const redis = await startRedis(t);
  const { readJson, readOutput, assertRefused } = commandsIn({ REDIS_URL: redis.url });
  const there = ["copy", "--from", environment.DATABASE_URL, "--to", postgres];

  await t.test("copy refuses a source that is being served", async () => {
    await assertRefused(there, /Another process already serves/);
  });

  await source.stop();

  await t.test("copy takes everything, with ids, keys and counts", async () => {
    const copied: Array<{ table: string; rows: number }> = await readJson(...there);
    const rows = Object.fromEntries(copied.map((each) => [each.table, each.rows]));
    assert.deepEqual([rows.pets, rows.api_keys, rows.api_key_secrets], [ANIMALS, 2, 3]);
    const target = await startNode(t, { DATABASE_URL: postgres, REDIS_URL: redis.url });
    assert.deepEqual(await readAll(target), before);
    const replayed = await target.call("POST", "/store/orders", order);
    assert.equal(replayed.headers["idempotent-replayed"], "true");
    const usage = await target.call("GET", "/usage", { key });
    assert.deepEqual([usage.status, usage.json.day.remaining], [200, 993]);
    const created = await target.call("POST", "/pets", { body: { name: "Next", categoryId: 1 } });
    assert.equal(created.json.id, ANIMALS + 1);
    const refused = await target.call("DELETE", "/pets/2", { key: ownKey });
    assert.equal(refused.json.code, "other_shelter");
    await target.stop();
  });

  await t.test("copy refuses a target that is not empty", async () => {
    await assertRefused(there, "The target already holds shelters. Copy to an empty database.");
  });

  await t.test("copy goes back to SQLite, and prints a table", async () => {
    const back = newStore(t);
    const output = await readOutput("copy", "--from", postgres, "--to", back);
    assert.match(output, /^TABLE +ROWS +SHA-256\nshelters +2 .*\npets +1204 +[0-9a-f]{64}\n/);
    assert.match(output, /\nBoth databases have the same content\.\n$/);
    const again = await startNode(t, { DATABASE_URL: back });
    assert.equal((await again.call("GET", "/pets?limit=100")).text, before.at(-1));
    const inventory = { available: 401, pending: 402, sold: 401 };
    assert.deepEqual((await again.call("GET", "/store/inventory")).json, inventory);
  });
});

test("copy takes both addresses from the environment, where ps does not show their passwords", async (t) => {
  const { environment, db } = await makeStore(t);
  await fillStore(db, 3);
  await db.close();
  const target = newStore(t);
  const { readJson, assertRefused } = commandsIn({ ...environment, COPY_TARGET_URL: target });
  const copied: Array<{ table: string; rows: number }> = await readJson("copy");
  assert.equal(copied.find(({ table }) => table === "pets")?.rows, 3);
  await assertRefused(["copy"], /already holds pets/);
  await readJson("copy", "--to", `${target}.other`);
  const { readOutput } = commandsIn({ COPY_TARGET_URL: "postgres://me:secret@db/x" });
  assert.match(await readOutput("settings"), /^COPY_TARGET_URL +postgres:\/\/db\/x +environment$/m);
});

test("copy leaves the target empty if Redis does not store the counts", async (t) => {
  const { environment, db } = await makeStore(t);
  await db.close();
  const target = { ...environment, COPY_TARGET_URL: newStore(t) };
  const REDIS_URL = `redis://127.0.0.1:${await findFreePort()}`;
  const says = /^animal-store: Redis cannot be used: connection refused\. Check REDIS_URL/;
  await commandsIn({ ...target, REDIS_URL }).assertRefused(["copy"], says);
  await commandsIn(target).readOutput("copy");
});

test("copy never assigns the id of a deleted animal again", async (t) => {
  const [from, through, to] = [newStore(t), await createTestDatabase(t), newStore(t)];
  const first = await startNode(t, { DATABASE_URL: from });
  for (const id of [1, 2, 3]) {
    await first.call("POST", "/pets", { body: { name: "Rex", categoryId: 1 } });
    assert.equal((await first.call("DELETE", `/pets/${id}`)).status, 204);
  }
  await first.call("PUT", "/categories/-9223372036854775808", { body: { name: "Lowest" } });
  await first.stop();
  const { readOutput } = commandsIn({});
  await readOutput("copy", "--from", from, "--to", through);
  await readOutput("copy", "--from", through, "--to", to);
  const second = await startNode(t, { DATABASE_URL: to });
  const created = await second.call("POST", "/pets", { body: { name: "Luna", categoryId: 1 } });
  assert.equal(created.json.id, 4);
  assert.match((await second.call("GET", "/categories")).text, /^\[\{"id":-9223372036854775808,/);
});

test("copy names the option or variable whose address is missing, wrong or not usable", async (t) => {
  const { environment, db } = await makeStore(t);
  await db.close();
  const own = environment.DATABASE_URL;
  const { assertRefused } = commandsIn({});
  const run = (from: string, to: string) => ["copy", "--from", from, "--to", to];
  const address = "must be sqlite:PATH or postgres:\\/\\/USER:PASSWORD@HOST:PORT\\/NAME\\. See: ";
  const noAnswer =
    /^animal-store: The database of --to cannot be used: .* doctor \(with the address of --to as DATABASE_URL\)\n$/;
  const noFolder = /the folder \/proc\/x cannot be created: .* Set --to to a file in a folder/;
  await assertRefused(["copy", "--from", own], /--to is missing, and COPY_TARGET_URL is not set/, 2);
  await assertRefused(run("store.db", own), new RegExp(`^animal-store: --from ${address}`), 2);
  await assertRefused(run(own, "mysql://host/name"), new RegExp(`^animal-store: --to ${address}`), 2);
  await assertRefused(run(newStore(t), newStore(t)), /There is no store at .* Check --from; /);
  await assertRefused(run(own, "sqlite:/proc/x/store.db"), noFolder);
  const { stderr } = await assertRefused(run(own, "postgres://user:secret@127.0.0.1:1/name"), noAnswer);
  assert.doesNotMatch(stderr, /secret/);
  const toVariable = (COPY_TARGET_URL: string) => commandsIn({ ...environment, COPY_TARGET_URL });
  await toVariable("mysql://x").assertRefused(["copy"], /\n {2}COPY_TARGET_URL must be /);
  const isFolder = /is a folder, not a database\. Set COPY_TARGET_URL to a file in it/;
  await toVariable(`sqlite:${makeFolder(t)}`).assertRefused(["copy"], isFolder);
});
