// The audit log on every engine: a record with every change of the service itself, and none without.

import assert from "node:assert/strict";
import { setImmediate as nextTick } from "node:timers/promises";
import type { KeySettings } from "../../src/domain/keys/api-key.ts";
import type { AuditRecord } from "../../src/domain/keys/audit.ts";
import type { Database } from "../../src/storage/database.ts";
import { addBatch, type ImportBatch } from "../../src/storage/stores/animals/imports.ts";
import { createKeyStore } from "../../src/storage/stores/keys/api-keys.ts";
import { createAuditStore, recordAudit } from "../../src/storage/stores/keys/audit.ts";
import { ACTOR, stampAt, withoutAudit } from "../harness/clients/audit.ts";
import { testOnEngines } from "./engines.ts";

const SETTINGS: KeySettings = { name: "Website", plan: "free", access: "browse" };
const secret = (text: string) => ({ hash: Buffer.from(text.padEnd(32)), hint: text });
const readAll = (db: Database) => createAuditStore(db).list({ limit: 1_000 });

testOnEngines("The audit log of keys", async (t, db) => {
  const keys = createKeyStore(db);
  const { id } = await keys.create(SETTINGS, secret("a"), stampAt(1_000));
  /** The newest record after a change, which has added no other. */
  async function recordOf(change: () => Promise<unknown>): Promise<AuditRecord | undefined> {
    const before = await readAll(db);
    await change();
    const [newest, ...others] = await readAll(db);
    assert.deepEqual(others, before);
    assert.equal(newest?.number, BigInt(before.length + 1));
    return newest;
  }
  const about = { actor: ACTOR, target: { keyId: id } };

  await t.test("has a new key with its settings and its hint", async () => {
    assert.deepEqual(await readAll(db), [
      {
        ...about,
        number: 1n,
        action: "key.created",
        from: undefined,
        to: { ...SETTINGS, hint: "a" },
        atMs: 1_000,
      },
    ]);
  });

  await t.test("has only the members that an update changed, and null for one that was not set", async () => {
    const settings: KeySettings = { ...SETTINGS, plan: "enterprise", perMinute: 5, expiresAtMs: 9_000 };
    assert.deepEqual(await recordOf(() => keys.update(id, () => settings, stampAt(2_000))), {
      ...about,
      number: 2n,
      action: "key.updated",
      from: { plan: "free", perMinute: null, expiresAt: null },
      to: { plan: "enterprise", perMinute: 5, expiresAt: "1970-01-01T00:00:09.000Z" },
      atMs: 2_000,
    });
  });

  await t.test("has the hints of both secrets of a rotation, and the end of the old one", async () => {
    const rotation = { ...stampAt(3_000), endsAtMs: 5_000 };
    const { action, from, to } = (await recordOf(() => keys.rotate(id, secret("b"), rotation))) ?? {};
    assert.deepEqual(
      [action, from, to],
      ["key.rotated", { hint: "a" }, { hint: "b", oldEndsAt: "1970-01-01T00:00:05.000Z" }],
    );
  });

  await t.test("has a lifted ban and a revocation", async () => {
    const unbanned = await recordOf(() => keys.unban(id, 1, stampAt(4_000)));
    assert.deepEqual([unbanned?.action, unbanned?.atMs], ["key.unbanned", 4_000]);
    const revoked = await recordOf(() => keys.revoke(id, stampAt(5_000)));
    assert.deepEqual(
      [revoked?.action, revoked?.from, revoked?.to],
      ["key.revoked", { state: "active" }, { state: "revoked" }],
    );
  });

  await t.test("has no record of what changed nothing, failed, or was rolled back", async () => {
    const other = await keys.create(SETTINGS, secret("c"), stampAt(6_000));
    const before = await readAll(db);
    await keys.update(other.id, (key) => key, stampAt(7_000));
    await keys.touch(other.id, 7_000);
    assert.equal(await keys.revoke(id, stampAt(7_000)), undefined);
    assert.equal(await keys.unban(99n, 1, stampAt(7_000)), undefined);
    const refused = keys.update(
      other.id,
      () => {
        throw new Error("no");
      },
      stampAt(7_000),
    );
    await assert.rejects(refused, /no/);
    const failing: Database = {
      ...db,
      transaction: (work, options) =>
        db.transaction(async (tx) => {
          await work(tx);
          throw new Error("rolled back");
        }, options),
    };
    const failed = createKeyStore(failing);
    await assert.rejects(failed.create(SETTINGS, secret("d"), stampAt(7_000)), /rolled back/);
    await assert.rejects(failed.revoke(other.id, stampAt(7_000)), /rolled back/);
    assert.deepEqual(await readAll(db), before);
    assert.equal((await keys.find(other.id))?.revokedAtMs, undefined);
  });

  await t.test("undoes the change if the record cannot be written", async () => {
    const other = await keys.create(SETTINGS, secret("e"), stampAt(8_000));
    const readKeys = () => keys.list({ limit: 100 });
    const before = [await readKeys(), await readAll(db)];
    const broken = createKeyStore(withoutAudit(db));
    const changes: Record<string, () => Promise<unknown>> = {
      create: () => broken.create(SETTINGS, secret("f"), stampAt(9_000)),
      update: () => broken.update(other.id, () => ({ ...SETTINGS, plan: "pro" }), stampAt(9_000)),
      rotate: () => broken.rotate(other.id, secret("g"), { ...stampAt(9_000), endsAtMs: 9_001 }),
      unban: () => broken.unban(other.id, 1, stampAt(9_000)),
      revoke: () => broken.revoke(other.id, stampAt(9_000)),
    };
    for (const [what, change] of Object.entries(changes)) {
      await assert.rejects(change(), /no audit record/, what);
      assert.deepEqual([await readKeys(), await readAll(db)], before, what);
    }
    assert.equal((await keys.findBySecret(secret("e").hash, 9_002))?.id, other.id, "its secret was kept");
  });

  await t.test("holds neither a secret nor its hash", async () => {
    const rows = await db.all("SELECT * FROM audit");
    for (const { hash } of ["a", "b", "c"].map(secret))
      for (const value of rows.flatMap((row) => Object.values(row)))
        for (const form of ["hex", "base64", "latin1"] as const)
          assert.ok(!String(value).includes(hash.toString(form)));
  });
});

testOnEngines("The numbers of the audit log", async (t, db) => {
  const keys = createKeyStore(db);

  await t.test(
    "have no gaps, and none appears before a lower one, also after failed changes at the same time",
    async () => {
      const seen: bigint[][] = [];
      let isOver = false;
      const watch = async () => {
        while (!isOver) {
          seen.push((await readAll(db)).map(({ number }) => number));
          await nextTick();
        }
      };
      const watching = watch();
      const changes = Array.from({ length: 40 }, (_, index) =>
        index % 4 === 0
          ? db.transaction(async (tx) => {
              await recordAudit(tx, { action: "data.imported", ...stampAt(0) });
              throw new Error("no");
            })
          : keys.create(SETTINGS, secret(`key ${index}`), stampAt(index)),
      );
      const outcomes = await Promise.allSettled(changes);
      isOver = true;
      await watching;
      seen.push((await readAll(db)).map(({ number }) => number));
      assert.equal(outcomes.filter(({ status }) => status === "rejected").length, 10);
      assert.equal(seen.at(-1)?.length, 30);
      for (const numbers of seen)
        assert.deepEqual(
          numbers,
          Array.from(numbers, (_, index) => BigInt(numbers.length - index)),
        );
    },
  );

  await t.test("page the log, newest first", async () => {
    const audit = createAuditStore(db);
    const all = await readAll(db);
    assert.deepEqual(await audit.list({ limit: 7 }), all.slice(0, 7));
    assert.deepEqual(await audit.list({ limit: 7, after: all[6]?.number }), all.slice(7, 14));
    assert.deepEqual(await audit.list({ limit: 7, after: 1n }), []);
  });
});

testOnEngines("A ban in the audit log", async (t, db) => {
  const audit = createAuditStore(db);
  const bans = async () => (await readAll(db)).filter(({ action }) => action === "key.banned");

  await t.test("is recorded once, however many nodes report it at the same time", async () => {
    await Promise.all(Array.from({ length: 10 }, (_, index) => audit.recordBan(7n, 60_000, index)));
    await audit.recordBan(7n, 60_000, 99);
    const [ban, ...others] = await bans();
    assert.deepEqual(others, []);
    assert.deepEqual(
      [ban?.actor, ban?.target, ban?.to],
      [{ command: "serve" }, { keyId: 7n }, { bannedUntil: "1970-01-01T00:01:00.000Z" }],
    );
  });

  await t.test("is recorded again for another key, and for the next ban", async () => {
    await audit.recordBan(8n, 60_000, 1);
    await audit.recordBan(7n, 120_000, 2);
    assert.equal((await bans()).length, 3);
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
  };
  const add = (batch: ImportBatch) =>
    db.transaction((tx) => addBatch(tx, batch, batch.startedAtMs + 1), { inOrder: true });

  await t.test("is recorded once, with its last batch", async () => {
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

  await t.test("keeps identifiers exact", async () => {
    const ids = { firstId: 9_007_199_254_740_993n, lastId: 9_223_372_036_854_775_807n };
    await db.transaction((tx) => recordAudit(tx, { action: "data.imported", ...stampAt(0), to: ids }));
    assert.deepEqual((await readAll(db))[0]?.to, ids);
  });
});
