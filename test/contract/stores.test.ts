// The contract of the stores, on every engine.

import assert from "node:assert/strict";
import { setImmediate as nextTick } from "node:timers/promises";
import fc from "fast-check";
import { PET_STATUSES, type Pet, type PetStatus, petJson } from "../../src/domain/animals/pet.ts";
import { INT64_MAX, INT64_MIN } from "../../src/domain/basics/int64.ts";
import type { KeySettings } from "../../src/domain/keys/api-key.ts";
import type { KeyCounts } from "../../src/domain/keys/limits.ts";
import { listListings } from "../../src/storage/stores/animals/listings.ts";
import { createPetStore } from "../../src/storage/stores/animals/pets.ts";
import { createKeyStore } from "../../src/storage/stores/keys/api-keys.ts";
import { createCountStore } from "../../src/storage/stores/usage/key-counts.ts";
import { stampAt } from "../harness/clients/audit.ts";
import { codePoint } from "../harness/clients/code-points.ts";
import { testOnEngines } from "./engines.ts";

const STAMP = { keyId: 1n, atMs: 1_000 };

testOnEngines("PetStore", async (t, db) => {
  const pets = createPetStore(db);

  await t.test("returns every name and int64 as it was stored", async () => {
    const name = fc
      .string({ unit: codePoint, minLength: 1, maxLength: 50 })
      .filter((text) => !text.includes("\0"));
    const categoryId = fc.bigInt({ min: INT64_MIN, max: INT64_MAX });
    await fc.assert(
      fc.asyncProperty(name, categoryId, fc.constantFrom(...PET_STATUSES), async (text, category, status) => {
        const created = await pets.create({ name: text, categoryId: category, status }, STAMP);
        const stored = { id: created.id, name: text, categoryId: category, status };
        assert.deepEqual(await pets.find(created.id), stored);
        const { json } = await pets.list({}, { limit: 1, after: created.id - 1n });
        assert.equal(json, `[${petJson(stored)}]`);
      }),
    );
  });

  await t.test("writes every character as JSON like petJson", async () => {
    const codes = Array.from({ length: 0x3000 }, (_, code) => code + 1);
    const name = String.fromCodePoint(...codes, 0x1f415, 0xfffd, 0xffff, 0x10ffff);
    const created = await pets.create({ name, categoryId: 1n, status: "sold" }, STAMP);
    const { json } = await pets.list({}, { limit: 1, after: created.id - 1n });
    assert.equal(json, `[${petJson(created)}]`);
  });

  await t.test("assigns ascending ids and lists by id after a given one", async () => {
    const before = (await listListings(db, {}, { limit: 1_000 })).length;
    const statuses: PetStatus[] = ["sold", "available", "sold", "pending", "sold"];
    const created: Pet[] = [];
    for (const status of statuses)
      created.push(await pets.create({ name: "Rex", categoryId: 1n, status }, STAMP));
    const ids = created.map(({ id }) => id);
    assert.deepEqual(
      ids,
      statuses.map((_, index) => BigInt(before + index + 1)),
    );
    const after = BigInt(before);
    const run = (some: Pet[], hasMore: boolean) => {
      return { json: `[${some.map(petJson).join(",")}]`, nextAfter: hasMore ? some.at(-1)?.id : undefined };
    };
    assert.deepEqual(await pets.list({}, { limit: 3, after }), run(created.slice(0, 3), true));
    assert.deepEqual(await pets.list({}, { limit: 5, after }), run(created, false));
    const sold = created.filter(({ status }) => status === "sold");
    assert.deepEqual(await pets.list({ status: "sold" }, { limit: 2, after }), run(sold.slice(0, 2), true));
    assert.deepEqual(await pets.list({ status: "sold" }, { limit: 9, after }), run(sold, false));
    assert.deepEqual(await pets.list({}, { limit: 9, after: INT64_MAX }), run([], false));
  });

  await t.test("ends a page before a name that looks like the JSON of an animal", async () => {
    const names = ["Rex", 'a,{"id":7,"name":"b', '{"id":8', "Tom"];
    const created: Pet[] = [];
    for (const name of names)
      created.push(await pets.create({ name, categoryId: 1n, status: "sold" }, STAMP));
    const ids = created.map(({ id }) => id);
    for (const [index, id] of ids.slice(0, -1).entries()) {
      const { json, nextAfter } = await pets.list({}, { limit: index + 1, after: (ids[0] ?? 0n) - 1n });
      assert.equal(
        json,
        `[${created
          .slice(0, index + 1)
          .map(petJson)
          .join(",")}]`,
      );
      assert.equal(nextAfter, id);
    }
  });

  await t.test("finds nothing for an unknown id", async () => {
    for (const id of [0n, -1n, INT64_MIN, INT64_MAX]) assert.equal(await pets.find(id), undefined);
  });
});

testOnEngines("KeyStore", async (t, db) => {
  const keys = createKeyStore(db);
  const settings: KeySettings = { name: "Website", plan: "free", access: "browse" };
  const secret = (text: string) => ({ hash: Buffer.from(text.padEnd(32)), hint: text });

  await t.test("creates one first key, also when many try at the same time", async () => {
    const tries = Array.from({ length: 8 }, (_, index) =>
      keys.createFirst({ ...settings, access: "admin" }, secret(`first ${index}`), stampAt(1_000)),
    );
    const made = (await Promise.all(tries)).filter((key) => key !== undefined);
    assert.equal(made.length, 1);
    assert.deepEqual(await keys.list({ limit: 9 }), made);
  });

  await t.test(
    "creates an admin key again if all others are revoked, expired or have less access",
    async () => {
      const admin: KeySettings = { ...settings, access: "admin" };
      const create = (text: string, nowMs: number) => keys.createFirst(admin, secret(text), stampAt(nowMs));
      const [first] = await keys.list({ limit: 1 });
      await keys.create(settings, secret("browse"), stampAt(1_000));
      assert.equal(await create("too early", 1_000), undefined);
      await keys.revoke(first?.id ?? 0n, stampAt(1_500));
      const expiring = await keys.create(
        { ...admin, expiresAtMs: 2_000 },
        secret("expiring"),
        stampAt(1_500),
      );
      assert.equal(expiring.access, "admin");
      assert.equal(await create("not yet expired", 1_999), undefined);
      const made = await Promise.all(["x", "y", "z"].map((text) => create(text, 2_000)));
      assert.equal(made.filter((key) => key !== undefined).length, 1);
    },
  );

  await t.test("finds a key by its secret only", async () => {
    const key = await keys.create(
      { ...settings, perMinute: 5, expiresAtMs: 9_000 },
      secret("a"),
      stampAt(2_000),
    );
    assert.deepEqual(await keys.findBySecret(secret("a").hash, 3_000), key);
    assert.deepEqual(await keys.find(key.id), key);
    assert.equal(await keys.findBySecret(secret("b").hash, 3_000), undefined);
    assert.equal(await keys.findBySecret(secret("a").hash, 9_000), undefined, "expired");
    assert.equal(key.perMinute, 5);
    assert.equal(key.createdAtMs, 2_000);
  });

  await t.test("changes settings only, and rolls back a change that throws", async () => {
    const key = await keys.create(settings, secret("c"), stampAt(2_000));
    const changed = await keys.update(
      key.id,
      (current) => ({ ...current, plan: "pro", perDay: undefined }),
      stampAt(2_500),
    );
    const version = changed?.version ?? 0;
    assert.ok(version > (key.version ?? 0), "a change increases the version");
    assert.deepEqual(changed, { ...key, plan: "pro", version });
    const refuse = keys.update(
      key.id,
      () => {
        throw new Error("no");
      },
      stampAt(2_500),
    );
    await assert.rejects(refuse, /no/);
    assert.deepEqual(await keys.find(key.id), changed);
    assert.equal(await keys.update(999n, (current) => current, stampAt(2_500)), undefined);
  });

  await t.test("loses no concurrent change", async () => {
    const key = await keys.create(
      { ...settings, plan: "enterprise", perMinute: 1 },
      secret("d"),
      stampAt(2_000),
    );
    const addOne = () =>
      keys.update(
        key.id,
        (current) => ({ ...current, perMinute: (current.perMinute ?? 0) + 1 }),
        stampAt(2_500),
      );
    await Promise.all(Array.from({ length: 20 }, addOne));
    assert.equal((await keys.find(key.id))?.perMinute, 21);
  });

  await t.test("keeps the old secret until its end after a rotation", async () => {
    const key = await keys.create(settings, secret("e"), stampAt(2_000));
    const rotated = await keys.rotate(key.id, secret("f"), { ...stampAt(3_000), endsAtMs: 5_000 });
    assert.equal(rotated?.hint, "f");
    assert.ok(await keys.findBySecret(secret("e").hash, 4_999));
    assert.equal(await keys.findBySecret(secret("e").hash, 5_000), undefined);
    assert.ok(await keys.findBySecret(secret("f").hash, 9_999_999));
  });

  await t.test("deletes secrets that have ended with the next rotation", async () => {
    const { id } = await keys.create(settings, secret("old 1"), stampAt(2_000));
    await keys.rotate(id, secret("old 2"), { ...stampAt(3_000), endsAtMs: 5_000 });
    await keys.rotate(id, secret("old 3"), { ...stampAt(4_999), endsAtMs: 9_000 });
    const count = async () =>
      (await db.first("SELECT count(*) AS count FROM api_key_secrets WHERE key_id = $1", [id]))?.count;
    assert.equal(await count(), 3n);
    await keys.rotate(id, secret("old 4"), { ...stampAt(5_000), endsAtMs: 9_000 });
    assert.equal(await count(), 3n, "the first one has ended");
    assert.ok(await keys.findBySecret(secret("old 2").hash, 8_999));
  });

  await t.test("revokes once, and a revoked key cannot be changed", async () => {
    const key = await keys.create(settings, secret("g"), stampAt(2_000));
    assert.equal((await keys.revoke(key.id, stampAt(4_000)))?.revokedAtMs, 4_000);
    assert.equal(await keys.findBySecret(secret("g").hash, 4_000), undefined);
    assert.equal(await keys.revoke(key.id, stampAt(5_000)), undefined);
    assert.equal(await keys.unban(key.id, 5_000, stampAt(5_000)), undefined);
    assert.equal(await keys.rotate(key.id, secret("h"), { ...stampAt(5_000), endsAtMs: 5_000 }), undefined);
    assert.equal((await keys.find(key.id))?.revokedAtMs, 4_000);
  });

  await t.test("stores the last use and the end of a ban", async () => {
    const key = await keys.create(settings, secret("i"), stampAt(2_000));
    await keys.touch(key.id, 7_000);
    const unbanned = await keys.unban(key.id, 8_000, stampAt(8_000));
    assert.deepEqual([unbanned?.lastUsedAtMs, unbanned?.unbannedAtMs], [7_000, 8_000]);
  });

  await t.test(
    "stores the last call of the deprecated operation, and lists the keys that have one",
    async () => {
      const [first, second] = [
        await keys.create(settings, secret("j"), stampAt(2_000)),
        await keys.create(settings, secret("k"), stampAt(2_000)),
      ];
      await keys.touchDeprecated(first.id, 7_000);
      await keys.touchDeprecated(second.id, 8_000);
      await keys.touchDeprecated(first.id, 9_000);
      const filter = { hasUsedDeprecated: true };
      const listed = await keys.list({ limit: 100 }, filter);
      assert.deepEqual(
        listed.map(({ id, deprecatedUsedAtMs }) => [id, deprecatedUsedAtMs]),
        [
          [first.id, 9_000],
          [second.id, 8_000],
        ],
      );
      assert.deepEqual(await keys.list({ limit: 1, after: first.id }, filter), [listed[1]]);
    },
  );

  await t.test("lists the secrets of valid keys that were used recently", async () => {
    const make = (name: string) => {
      const secret = { hash: Buffer.alloc(32, name), hint: name };
      return keys.create({ name, plan: "free", access: "manage" }, secret, stampAt(1_000));
    };
    const [used, ended] = [await make("used"), await make("ended")];
    await make("idle");
    for (const { id } of [used, ended]) await keys.touch(id, 900_000_000);
    await keys.revoke(ended.id, stampAt(900_000_000));
    assert.deepEqual(await keys.listUsedSecrets(899_999_999, 10), [Buffer.alloc(32, "used")]);
    assert.deepEqual(await keys.listUsedSecrets(900_000_000, 10), []);
    assert.deepEqual(await keys.listUsedSecrets(0, 0), []);
  });

  await t.test("lists by id in pages", async () => {
    const all = await keys.list({ limit: 100 });
    assert.deepEqual(
      all.map(({ id }) => id),
      all.map((_, index) => BigInt(index + 1)),
    );
    assert.deepEqual(await keys.list({ limit: 2, after: 1n }), all.slice(1, 3));
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

  await t.test("returns the counts that were saved last", async () => {
    await counts.save(
      new Map([
        [1n, make(1_000)],
        [2n, make(2_000)],
      ]),
    );
    await counts.save(new Map([[2n, make(3_000)]]));
    assert.deepEqual(
      await counts.loadAll(4_000),
      new Map([
        [1n, make(1_000)],
        [2n, make(3_000)],
      ]),
    );
    assert.deepEqual(await counts.find(2n), make(3_000));
    assert.equal(await counts.find(9n), undefined);
  });

  await t.test("deletes counts that no longer affect a limit", async () => {
    const dayAfterMs = 2_000 + 86_400_000;
    assert.deepEqual(await counts.loadAll(dayAfterMs), new Map([[2n, make(3_000)]]));
    assert.equal(await counts.find(1n), undefined);
  });
});

testOnEngines("Database", async (t, db) => {
  await t.test(
    "makes ids visible in ascending order, so that a reader that pages by id misses none",
    async () => {
      const pets = createPetStore(db);
      const seen: bigint[] = [];
      let isDone = false;
      const reading = (async () => {
        while (!isDone) {
          const page = await listListings(db, {}, { limit: 7, after: seen.at(-1) });
          seen.push(...page.map(({ id }) => id));
          await nextTick();
        }
      })();
      const create = () => pets.create({ name: "Rex", categoryId: 1n, status: "sold" }, STAMP);
      // Ten at a time: on a busy machine, more would exceed the deadline of a transaction.
      const created: Pet[] = [];
      const creating = async () => {
        for (let i = 0; i < 6; i++) created.push(...(await Promise.all(Array.from({ length: 10 }, create))));
      };
      await creating().finally(() => {
        isDone = true;
      });
      await reading;
      for (let page = await listListings(db, {}, { limit: 100, after: seen.at(-1) }); page.length > 0; ) {
        seen.push(...page.map(({ id }) => id));
        page = await listListings(db, {}, { limit: 100, after: seen.at(-1) });
      }
      assert.equal(seen.length, created.length);
    },
  );

  const name = async (id: bigint) => (await db.first("SELECT name FROM api_keys WHERE id = $1", [id]))?.name;
  const insert =
    "INSERT INTO api_keys (name, plan, access, hint, created_at_ms) VALUES ($1, 'free', 'browse', 'x', 0) RETURNING id";

  await t.test("shows a transaction to others only after COMMIT", async () => {
    const id = await db.transaction(async (tx) => {
      const row = await tx.first(insert, ["inside"]);
      assert.equal(
        (await tx.first("SELECT name FROM api_keys WHERE id = $1", [row?.id as bigint]))?.name,
        "inside",
      );
      assert.equal(await name(row?.id as bigint), undefined);
      return row?.id as bigint;
    });
    assert.equal(await name(id), "inside");
  });

  await t.test("commits the transactions beside a failed one", async () => {
    const outcomes = await Promise.allSettled(
      Array.from({ length: 30 }, (_, index) =>
        db.transaction(async (tx) => {
          const row = await tx.first(insert, [`neighbour ${index}`]);
          if (index % 3 === 0) throw new Error("on purpose");
          if (index % 3 === 1) await tx.run("INSERT INTO nowhere VALUES (1)");
          return row?.id;
        }),
      ),
    );
    assert.equal(outcomes.filter(({ status }) => status === "fulfilled").length, 10);
    const rows = await db.all("SELECT name FROM api_keys WHERE name LIKE 'neighbour%'");
    assert.deepEqual(
      new Set(rows.map((row) => row.name)),
      new Set(Array.from({ length: 10 }, (_, index) => `neighbour ${index * 3 + 2}`)),
    );
  });

  await t.test("returns the number of changed rows", async () => {
    const changed = await db.transaction((tx) =>
      tx.run("UPDATE api_keys SET hint = $1 WHERE name = $2", ["y", "inside"]),
    );
    assert.equal(changed, 1);
  });
});
