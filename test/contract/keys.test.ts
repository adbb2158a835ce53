// API keys and their counts in the stores: one first key, no lost change, and only rows that can still decide.

import assert from "node:assert/strict";
import type { KeyCounts } from "../../src/domain/keys/admission.ts";
import type { KeySettings } from "../../src/domain/keys/api-key.ts";
import { createKeyStore } from "../../src/storage/stores/keys/api-keys.ts";
import { createCountStore } from "../../src/storage/stores/usage/key-counts.ts";
import { stampAt } from "../harness/clients/audit.ts";
import { testOnEngines } from "./engines.ts";

const DAY_MS = 86_400_000;
const SETTINGS: KeySettings = { name: "Website", plan: "free", access: "browse" };
const ADMIN: KeySettings = { ...SETTINGS, access: "admin" };
const secret = (text: string) => ({ hash: Buffer.from(text.padEnd(32)), hint: text });

testOnEngines("KeyStore", async (t, db) => {
  const keys = createKeyStore(db);
  const create = (text: string, settings = SETTINGS) => keys.create(settings, secret(text), stampAt(1_000));
  const createFirst = async (nowMs: number, ...names: string[]) => {
    const tries = names.map((name) => keys.createFirst(ADMIN, secret(name), stampAt(nowMs)));
    return (await Promise.all(tries)).filter((key) => key !== undefined);
  };

  await t.test("creates one first key, also when many try at the same time", async () => {
    const made = await createFirst(1_000, "1", "2", "3", "4", "5", "6", "7", "8");
    assert.equal(made.length, 1);
    assert.deepEqual(await keys.list({ limit: 9 }), made);
  });

  await t.test("creates an admin key again if all are revoked, expired or have less access", async () => {
    const [first] = await keys.list({ limit: 1 });
    await create("browse");
    assert.deepEqual(await createFirst(1_000, "too early"), []);
    await keys.revoke(first?.id ?? 0n, stampAt(1_500));
    await create("expiring", { ...ADMIN, expiresAtMs: 2_000 });
    assert.deepEqual(await createFirst(1_999, "not yet expired"), []);
    assert.equal((await createFirst(2_000, "x", "y", "z")).length, 1);
  });

  await t.test("loses no concurrent change, and rolls back a change that throws", async () => {
    const { id } = await create("a", { ...SETTINGS, plan: "enterprise", perMinute: 1 });
    const change = (work: (perMinute: number) => number) =>
      keys.update(id, (key) => ({ ...key, perMinute: work(key.perMinute ?? 0) }), stampAt(2_500));
    await Promise.all(Array.from({ length: 20 }, () => change((perMinute) => perMinute + 1)));
    await assert.rejects(
      change(() => assert.fail("refused")),
      /refused/,
    );
    assert.equal((await keys.find(id))?.perMinute, 21);
    assert.equal(await keys.update(999n, (key) => key, stampAt(2_500)), undefined);
  });

  await t.test("deletes secrets that have ended with the next rotation", async () => {
    const { id } = await create("old 1");
    const rotate = (text: string, atMs: number, endsAtMs: number) =>
      keys.rotate(id, () => secret(text), { ...stampAt(atMs), endsAtMs });
    const count = async () =>
      (await db.first("SELECT count(*) AS count FROM api_key_secrets WHERE key_id = $1", [id]))?.count;
    await rotate("old 2", 3_000, 5_000);
    await rotate("old 3", 4_999, 9_000);
    assert.equal(await count(), 3n);
    await rotate("old 4", 5_000, 9_000);
    assert.equal(await count(), 3n, "the first one has ended");
    assert.ok(await keys.findBySecret(secret("old 2").hash, 8_999));
  });

  await t.test("lists the keys that have called the deprecated operation, in pages", async () => {
    const [first, second] = [await create("j"), await create("k")];
    for (const [id, atMs] of [
      [first.id, 7_000],
      [second.id, 8_000],
      [first.id, 9_000],
    ] as const)
      await keys.touchDeprecated(id, atMs);
    const filter = { hasUsedDeprecated: true };
    const expected = [
      { ...first, deprecatedUsedAtMs: 9_000 },
      { ...second, deprecatedUsedAtMs: 8_000 },
    ];
    assert.deepEqual(await keys.list({ limit: 100 }, filter), expected);
    assert.deepEqual(await keys.list({ limit: 1, after: first.id }, filter), expected.slice(1));
  });

  await t.test("lists the secrets of valid keys that were used recently", async () => {
    const [used, ended] = [await create("used"), await create("ended")];
    await create("idle");
    for (const { id } of [used, ended]) await keys.touch(id, 900_000_000);
    await keys.revoke(ended.id, stampAt(900_000_000));
    assert.deepEqual(await keys.listUsedSecrets(899_999_999, 10), [secret("used").hash]);
    assert.deepEqual(await keys.listUsedSecrets(900_000_000, 10), []);
    assert.deepEqual(await keys.listUsedSecrets(0, 0), []);
  });
});

testOnEngines("CountStore", async (t, db) => {
  const counts = createCountStore(db);
  const make = (startMs: number): KeyCounts => ({
    minute: { startMs, used: 3 },
    day: { startMs, used: 5 },
    refusals: { startMs, used: 7 },
    refusedSinceMs: 0,
    ban: { startMs, endMs: startMs + 60_000, number: 2 },
  });
  const [old, young] = [make(1_000), make(3_000)];

  await t.test("returns the counts that were saved last, without those that affect no limit", async () => {
    await counts.save(
      new Map([
        [1n, old],
        [2n, make(2_000)],
      ]),
    );
    await counts.save(new Map([[2n, young]]));
    const both = new Map([
      [1n, old],
      [2n, young],
    ]);
    assert.deepEqual(await counts.loadAll(4_000), both);
    assert.deepEqual([await counts.find(2n), await counts.find(9n)], [young, undefined]);
    assert.deepEqual(await counts.loadAll(2_000 + DAY_MS), new Map([[2n, young]]));
    assert.equal(await counts.find(1n), undefined, "it was deleted");
  });
});
