// `copy` from SQLite to PostgreSQL and back, as an operator runs it.

import assert from "node:assert/strict";
import { test } from "node:test";
import { openSqlite } from "../../src/storage/sqlite/engine.ts";
import { runInHost } from "../harness/clients/commands.ts";
import { makeFolder } from "../harness/runner/folder.ts";
import { createTestDatabase } from "../harness/servers/databases.ts";
import { startNode } from "../harness/servers/node.ts";
import { findFreePort } from "../harness/servers/ports.ts";
import { startRedis } from "../harness/servers/redis.ts";
import { fillStore } from "./stores.ts";

test("copy", { timeout: 120_000 }, async (t) => {
  const sqlite = { DATABASE_URL: `sqlite:${makeFolder(t)}/store.db` };
  const source = await startNode(t, sqlite);
  const db = openSqlite(sqlite.DATABASE_URL.slice("sqlite:".length));
  // More than two steps of the copy.
  await fillStore(db, 1_203);
  await db.close();
  const settings = { name: "test", plan: "free", expiresAt: "2099-01-01T00:00:00Z" };
  const { id, key } = (await source.call("POST", "/keys", { body: settings })).json;
  await source.call("POST", `/keys/${id}/rotate`);
  for (let i = 0; i < 7; i++) await source.call("GET", "/pets", { key });
  const order = { body: { petId: 1 }, headers: { "idempotency-key": "moved" } };
  await source.call("POST", "/store/orders", order);
  await source.call("PUT", "/categories/-3", { body: { name: "Cats" } });
  const looks = ["/store/orders", "/categories", "/pets/1/history", "/store/inventory"];
  const lookAt = (service: typeof source) =>
    Promise.all(looks.map(async (path) => (await service.call("GET", path)).text));
  const looked = await lookAt(source);
  const before = await source.call("GET", "/pets?limit=100");
  const postgres = await createTestDatabase(t);
  const redis = await startRedis(t);
  const copy = (from: string, to: string) =>
    runInHost(["copy", "--from", from, "--to", to, "--json"], { REDIS_URL: redis.url });

  await t.test("refuses a source that is being served", async () => {
    const result = await copy(sqlite.DATABASE_URL, postgres);
    assert.equal(result.code, 1);
    assert.match(result.stderr, /Another process already serves/);
  });

  await source.stop();

  await t.test("refuses a target that is not named, or not valid", async () => {
    const none = await runInHost(["copy"], sqlite);
    assert.deepEqual(
      [none.code, /--to is missing, and COPY_TARGET_URL is not set/.test(none.stderr)],
      [2, true],
    );
    const invalid = await runInHost(["copy"], { ...sqlite, COPY_TARGET_URL: "mysql://x" });
    assert.match(invalid.stderr, /\n {2}COPY_TARGET_URL must be /);
    const folder = makeFolder(t);
    const noFile = await runInHost(["copy"], { ...sqlite, COPY_TARGET_URL: `sqlite:${folder}` });
    assert.match(noFile.stderr, /is a folder, not a database\. Set COPY_TARGET_URL to a file in it/);
  });

  await t.test("leaves the target empty if Redis does not store the counts", async () => {
    const environment = { ...sqlite, COPY_TARGET_URL: `sqlite:${makeFolder(t)}/target.db` };
    const REDIS_URL = `redis://127.0.0.1:${await findFreePort()}`;
    const failed = await runInHost(["copy"], { ...environment, REDIS_URL });
    assert.equal(failed.code, 1);
    assert.match(failed.stderr, /^animal-store: Redis cannot be used: connection refused\. Check REDIS_URL/);
    const repeated = await runInHost(["copy"], environment);
    assert.equal(repeated.code, 0, repeated.stderr);
  });

  await t.test(
    "takes both addresses from the environment, where ps does not show their passwords",
    async () => {
      const path = `${makeFolder(t)}/target.db`;
      const environment = { ...sqlite, COPY_TARGET_URL: `sqlite:${path}` };
      const copied = await runInHost(["copy", "--json"], environment);
      assert.equal(copied.code, 0, copied.stderr);
      const { rows } = JSON.parse(copied.stdout).find(({ table }: { table: string }) => table === "pets");
      assert.equal(rows, 1_203);
      const again = await runInHost(["copy"], environment);
      assert.deepEqual([again.code, /already holds pets/.test(again.stderr)], [1, true], again.stderr);
      const toOption = await runInHost(["copy", "--to", `sqlite:${path}.other`, "--json"], environment);
      assert.equal(toOption.code, 0, "the option wins over the variable");
      const { stdout } = await runInHost(["settings"], { COPY_TARGET_URL: "postgres://me:secret@db/x" });
      assert.match(stdout, /^COPY_TARGET_URL +postgres:\/\/db\/x +environment$/m);
    },
  );

  await t.test("copies everything, with ids, keys and counts", async () => {
    const result = await copy(sqlite.DATABASE_URL, postgres);
    assert.equal(result.code, 0, result.stderr);
    const rows = Object.fromEntries(
      JSON.parse(result.stdout).map(({ table, rows: count }: { table: string; rows: number }) => [
        table,
        count,
      ]),
    );
    assert.deepEqual([rows.pets, rows.api_keys, rows.api_key_secrets], [1_203, 1, 2]);
    const target = await startNode(t, { DATABASE_URL: postgres, REDIS_URL: redis.url });
    assert.equal((await target.call("GET", "/pets?limit=100")).text, before.text);
    assert.deepEqual(await lookAt(target), looked);
    const replayed = await target.call("POST", "/store/orders", order);
    assert.equal(replayed.headers["idempotent-replayed"], "true");
    const usage = await target.call("GET", "/usage", { key });
    assert.equal(usage.status, 200);
    assert.equal(usage.json.day.remaining, 993);
    const created = await target.call("POST", "/pets", { body: { name: "Next", categoryId: 1 } });
    assert.equal(created.json.id, 1_204);
    await target.stop();
  });

  await t.test("refuses a target that is not empty", async () => {
    const result = await copy(sqlite.DATABASE_URL, postgres);
    assert.equal(result.code, 1);
    assert.match(
      result.stderr,
      /^animal-store: The target already holds pets\. Copy to an empty database\.\n$/,
    );
  });

  await t.test("copies back to SQLite, and prints a table", async () => {
    const back = `sqlite:${makeFolder(t)}/back.db`;
    const result = await runInHost(["copy", "--from", postgres, "--to", back]);
    assert.equal(result.code, 0, result.stderr);
    assert.match(result.stdout, /^TABLE +ROWS +SHA-256\npets +1204 +[0-9a-f]{64}\n/);
    assert.match(result.stdout, /\nBoth databases have the same content\.\n$/);
    const again = await startNode(t, { DATABASE_URL: back });
    assert.equal((await again.call("GET", "/pets?limit=100")).text, before.text);
    const inventory = { available: 401, pending: 402, sold: 401 };
    assert.deepEqual((await again.call("GET", "/store/inventory")).json, inventory);
  });

  await t.test("never assigns the id of a deleted animal again", async () => {
    const from = { DATABASE_URL: `sqlite:${makeFolder(t)}/from.db` };
    const first = await startNode(t, from);
    for (const id of [1, 2, 3]) {
      await first.call("POST", "/pets", { body: { name: "Rex", categoryId: 1 } });
      assert.equal((await first.call("DELETE", `/pets/${id}`)).status, 204);
    }
    await first.call("PUT", "/categories/-9223372036854775808", { body: { name: "Lowest" } });
    await first.stop();
    const through = await createTestDatabase(t);
    const to = `sqlite:${makeFolder(t)}/to.db`;
    assert.equal((await runInHost(["copy", "--from", from.DATABASE_URL, "--to", through])).code, 0);
    assert.equal((await runInHost(["copy", "--from", through, "--to", to])).code, 0);
    const second = await startNode(t, { DATABASE_URL: to });
    const created = await second.call("POST", "/pets", { body: { name: "Luna", categoryId: 1 } });
    assert.equal(created.json.id, 4);
    assert.match((await second.call("GET", "/categories")).text, /^\[\{"id":-9223372036854775808,/);
  });

  await t.test("names the option whose address is wrong or whose database does not answer", async () => {
    const run = (from: string, to: string) => runInHost(["copy", "--from", from, "--to", to]);
    const address = "must be sqlite:PATH or postgres://USER:PASSWORD@HOST:PORT/NAME. See: ";
    for (const [option, result] of [
      ["--from", await run("store.db", postgres)],
      ["--to", await run(sqlite.DATABASE_URL, "mysql://host/name")],
    ] as const) {
      assert.equal(result.code, 2);
      assert.ok(result.stderr.startsWith(`animal-store: ${option} ${address}`), result.stderr);
    }
    const stopped = await run(sqlite.DATABASE_URL, "postgres://user:secret@127.0.0.1:1/name");
    assert.equal(stopped.code, 1);
    assert.match(
      stopped.stderr,
      /^animal-store: The database of --to cannot be used: .* doctor \(with the address of --to as DATABASE_URL\)\n$/,
    );
    assert.doesNotMatch(stopped.stderr, /secret/);
    const folder = await run(sqlite.DATABASE_URL, "sqlite:/proc/x/store.db");
    assert.match(folder.stderr, /the folder \/proc\/x cannot be created: .* Set --to to a file in a folder/);
  });

  await t.test("names a missing flag and a missing store", async () => {
    const none = await runInHost(["copy", "--from", "sqlite:x.db"]);
    assert.deepEqual([none.code, /--to is missing/.test(none.stderr)], [2, true]);
    const absent = await runInHost(["copy", "--from", `sqlite:${makeFolder(t)}/x.db`, "--to", postgres]);
    assert.match(absent.stderr, /There is no store at .* Check --from; /);
  });
});
