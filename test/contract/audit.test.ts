// The audit log on every engine: a record with every change of the service itself, and none without.

import assert from "node:assert/strict";
import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import type { KeySettings } from "../../src/domain/keys/api-key.ts";
import type { Database } from "../../src/storage/database.ts";
import { addBatch, type ImportBatch } from "../../src/storage/stores/animals/imports.ts";
import { createKeyStore } from "../../src/storage/stores/keys/api-keys.ts";
import { createAuditStore, recordAudit } from "../../src/storage/stores/keys/audit.ts";
import { stampAt, withoutAudit } from "../harness/clients/audit.ts";
import { column } from "../harness/clients/pages.ts";
import { testOnEngines } from "./engines.ts";

const SETTINGS: KeySettings = { name: "Website", plan: "free", access: "browse" };
const secret = (text: string) => ({ hash: Buffer.from(text.padEnd(32)), hint: text });
const readAll = (db: Database) => createAuditStore(db).list({ limit: 1_000 });

/** As if COMMIT failed: the work is done, then rolled back. */
const withoutCommit = (db: Database): Database => ({
  ...db,
  transaction: (work, options) =>
    db.transaction(async (tx) => {
      await work(tx);
      throw new Error("rolled back");
    }, options),
});

testOnEngines("The audit log of keys", async (t, db) => {
  const keys = createKeyStore(db);
  const { id } = await keys.create(SETTINGS, secret("old"), stampAt(1_000));
  const readState = async () => [await keys.list({ limit: 100 }), await readAll(db)];
  const failures: Record<string, [failing: Database, message: RegExp]> = {
    "its record cannot be written": [withoutAudit(db), /no audit record/],
    "its transaction is rolled back": [withoutCommit(db), /rolled back/],
  };
  for (const [what, [failing, message]] of Object.entries(failures))
    await t.test(`a change leaves neither a trace nor a record when ${what}`, async () => {
      const broken = createKeyStore(failing);
      const changes: Record<string, () => Promise<unknown>> = {
        create: () => broken.create(SETTINGS, secret("new"), stampAt(9_000)),
        update: () => broken.update(id, () => ({ ...SETTINGS, plan: "pro" }), stampAt(9_000)),
        rotate: () => broken.rotate(id, () => secret("new"), { ...stampAt(9_000), endsAtMs: 9_001 }),
        unban: () => broken.unban(id, 1, stampAt(9_000)),
        revoke: () => broken.revoke(id, stampAt(9_000)),
      };
      const before = await readState();
      for (const [change, run] of Object.entries(changes)) {
        await assert.rejects(run(), message, change);
        assert.deepEqual(await readState(), before, change);
      }
      assert.equal((await keys.findBySecret(secret("old").hash, 9_002))?.id, id, "its secret was kept");
    });

  await t.test("the log holds neither a secret nor its hash", async () => {
    await keys.rotate(id, () => secret("new"), { ...stampAt(9_000), endsAtMs: 9_001 });
    const values = (await db.all("SELECT * FROM audit")).flatMap((row) => Object.values(row)).join("\n");
    for (const { hash } of ["old", "new"].map(secret))
      for (const form of ["hex", "base64", "latin1"] as const)
        assert.ok(!values.includes(hash.toString(form)));
  });
});

testOnEngines("The numbers of the audit log", async (t, db) => {
  await t.test("numbers have no gap, and appear in their order, whatever fails beside it", async () => {
    const keys = createKeyStore(db);
    const seen: bigint[][] = [];
    const read = async () => void seen.push(column(await readAll(db), "number"));
    let isOver = false;
    const watching = (async () => {
      while (!isOver) {
        await read();
        await yieldToEventLoop();
      }
    })();
    const changes = Array.from({ length: 40 }, (_, index) =>
      index % 4 === 0
        ? db.transaction(async (tx) => {
            await recordAudit(tx, { action: "data.imported", ...stampAt(0) });
            throw new Error("no");
          })
        : keys.create(SETTINGS, secret(`key ${index}`), stampAt(index)),
    );
    await Promise.allSettled(changes);
    isOver = true;
    await watching;
    await read();
    assert.equal(seen.at(-1)?.length, 30);
    for (const numbers of seen)
      assert.deepEqual(
        numbers,
        Array.from(numbers, (_, index) => BigInt(numbers.length - index)),
      );
  });
});

testOnEngines("A ban in the audit log", async (t, db) => {
  const audit = createAuditStore(db);

  await t.test("a ban is recorded once, however many nodes report it at the same time", async () => {
    await Promise.all(Array.from({ length: 10 }, (_, index) => audit.recordBan(7n, 60_000, index)));
    await audit.recordBan(7n, 60_000, 99);
    assert.equal((await readAll(db)).length, 1);
  });

  await t.test("a ban of another key and the next ban are recorded too", async () => {
    await audit.recordBan(8n, 60_000, 1);
    await audit.recordBan(7n, 120_000, 2);
    assert.equal((await readAll(db)).length, 3);
  });
});

testOnEngines("An import in the audit log", async (t, db) => {
  const row = { line: 2, pet: { name: "Rex", categoryId: 1n, status: "available" as const } };
  const first: ImportBatch = {
    name: "a:b.csv",
    checksum: Buffer.alloc(32, 1),
    reading: "csv",
    startedAtMs: 10,
    rows: [row, row],
    from: 0,
    to: 2,
    isLast: false,
    imported: Buffer.alloc(0),
    origin: { atMs: 0 },
  };
  const add = (batch: ImportBatch) =>
    db.transaction((tx) => addBatch(tx, { ...batch, origin: { atMs: batch.startedAtMs + 1 } }), {
      inOrder: true,
    });

  await t.test("an import is recorded once, with its last batch", async () => {
    await add(first);
    assert.deepEqual(await readAll(db), []);
    const last = { ...first, rows: [row], from: 2, to: 3, isLast: true };
    await add(last);
    await add(last);
    assert.deepEqual(await readAll(db), [
      {
        number: 1n,
        action: "data.imported",
        actor: { command: "import" },
        target: { file: "a:b.csv" },
        from: undefined,
        to: { pets: 3, firstId: 1n, lastId: 3n },
        atMs: 11,
      },
    ]);
  });

  await t.test("a record keeps identifiers exact", async () => {
    const ids = { firstId: 9_007_199_254_740_993n, lastId: 9_223_372_036_854_775_807n };
    await db.transaction((tx) => recordAudit(tx, { action: "data.imported", ...stampAt(0), to: ids }));
    assert.deepEqual((await readAll(db))[0]?.to, ids);
  });
});
