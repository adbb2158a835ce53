// Newly found servers of PostgreSQL are compared with the versions that were recorded before. The database of the test plays
// each server: only the name of the instance tells them apart.

import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { Database, LostChanges } from "../../src/storage/database.ts";
import { migrate } from "../../src/storage/migrations/migrate.ts";
import { openPostgres } from "../../src/storage/postgres/engine.ts";
import { createLineage, type ExamineServer } from "../../src/storage/postgres/lineage.ts";
import { createPetStore } from "../../src/storage/stores/animals/pets.ts";
import { PATIENT_DATABASE_MS } from "../harness/runner/patience.ts";
import { createTestDatabase } from "../harness/servers/databases.ts";

async function openStore(t: TestContext): Promise<Database> {
  const db = openPostgres(await createTestDatabase(t), { poolSize: 2, deadlineMs: PATIENT_DATABASE_MS });
  t.after(() => db.close());
  await migrate(db, 0);
  return db;
}

/** One node. It knows the present server, "one", unless `first` names another. `readBefore` is a number that it reads earlier. */
async function startLineage(db: Database, { first = "one", readBefore = 0 } = {}) {
  const lost: LostChanges[] = [];
  const renewed: string[] = [];
  const redis: { published: number | undefined } = { published: undefined };
  let examine: ExamineServer = async () => {};
  const find = (instance: string, isPooled = false) =>
    examine({ instance, isPooled, transact: (work) => db.transaction(work) });
  const lineage = createLineage(async (given) => {
    examine = given;
    await find(first);
  });
  lineage.note({ pets: readBefore });
  await lineage.guard({
    readPublished: async () => redis.published,
    onRenewed({ epoch }) {
      renewed.push(epoch);
      redis.published = undefined;
    },
    onLost: (each) => void lost.push(each),
  });
  return { note: lineage.note, find, lost, renewed, redis };
}

async function write(db: Database, count: number): Promise<void> {
  const pets = createPetStore(db);
  for (let i = 0; i < count; i++)
    await pets.create({ name: "Rex", categoryId: 1n, status: "available" }, { keyId: 1n, atMs: 0 });
}

/** As a standby without them would have it. */
const lose = (db: Database, count: number) =>
  db.transaction((tx) =>
    tx.run("DELETE FROM history WHERE number > (SELECT max(number) FROM history) - $1", [count]),
  );
const epochOf = async (db: Database) => (await db.first("SELECT epoch FROM store"))?.epoch as string;

test("a server that has everything continues the epoch, on every node", async (t) => {
  const db = await openStore(t);
  await write(db, 5);
  const [a, b] = [await startLineage(db), await startLineage(db)];
  const before = await epochOf(db);
  for (const { note } of [a, b]) note({ pets: 5 });
  await a.find("two");
  await write(db, 5);
  a.note({ pets: 10 });
  b.redis.published = 10;
  await b.find("two");
  await a.find("two");
  assert.equal(await epochOf(db), before);
  assert.deepEqual([a.lost, a.renewed, b.lost, b.renewed], [[], [], [], []]);
});

const KNOWN: Record<string, (node: Awaited<ReturnType<typeof startLineage>>) => unknown> = {
  "this node": ({ note }) => note({ pets: 5 }),
  "Redis alone": ({ redis }) => {
    redis.published = 5;
  },
};

for (const [who, know] of Object.entries(KNOWN)) {
  test(`a server without changes that ${who} knows begins an epoch before it is used`, async (t) => {
    const db = await openStore(t);
    await write(db, 2);
    const node = await startLineage(db);
    await write(db, 3);
    know(node);
    await lose(db, 2);
    const before = await epochOf(db);
    await node.find("two");
    const after = await epochOf(db);
    assert.notEqual(after, before);
    assert.deepEqual(node.renewed, [after]);
    assert.deepEqual(node.lost, [{ pets: { from: 4, to: 5 }, keys: undefined }]);
    await node.find("two");
    assert.equal(await epochOf(db), after, "once");
  });
}

test("a lost number is noticed after another node has assigned it again", async (t) => {
  const db = await openStore(t);
  await write(db, 2);
  const [knowing, other] = [await startLineage(db), await startLineage(db)];
  await write(db, 3);
  knowing.note({ pets: 5 });
  await lose(db, 2);
  await other.find("two");
  await write(db, 9);
  const before = await epochOf(db);
  await knowing.find("two");
  assert.notEqual(await epochOf(db), before);
  assert.deepEqual(knowing.lost, [{ pets: { from: 4, to: 5 }, keys: undefined }]);
  await other.find("three");
  assert.deepEqual([other.renewed, other.lost], [[await epochOf(db)], []], "the other one adopts the epoch");
});

test("behind a pooler, changes that this node made on the server itself are not taken for lost ones", async (t) => {
  const db = await openStore(t);
  await write(db, 5);
  const [one, two] = [await startLineage(db), await startLineage(db)];
  await one.find("two", true);
  await write(db, 5);
  two.note({ pets: 10 });
  const before = await epochOf(db);
  await two.find("two", true);
  assert.deepEqual([await epochOf(db), two.lost], [before, []]);
});

test("versions that were read before the first comparison are those of the server", async (t) => {
  const db = await openStore(t);
  await startLineage(db);
  await write(db, 5);
  const late = await startLineage(db, { readBefore: 5 });
  assert.deepEqual([late.lost, late.renewed], [[], []]);
});

test("a lost change of a key begins an epoch too", async (t) => {
  const db = await openStore(t);
  const node = await startLineage(db);
  node.note({ keys: 7 });
  await node.find("two");
  assert.deepEqual(node.lost, [{ pets: undefined, keys: { from: 1, to: 7 } }]);
});

test("a node that starts compares the server with Redis", async (t) => {
  const db = await openStore(t);
  await write(db, 5);
  const lost: LostChanges[] = [];
  const renewed: string[] = [];
  const before = await epochOf(db);
  const lineage = createLineage((examine) =>
    examine({ instance: "one", isPooled: false, transact: (work) => db.transaction(work) }),
  );
  await lineage.guard({
    readPublished: async () => 8,
    onRenewed: ({ epoch }) => void renewed.push(epoch),
    onLost: (each) => void lost.push(each),
  });
  assert.notEqual(await epochOf(db), before);
  assert.deepEqual(renewed, [await epochOf(db)]);
  assert.deepEqual(lost, [{ pets: { from: 6, to: 8 }, keys: undefined }]);
});

test("an epoch that has ended is not continued by a server of before", async (t) => {
  const db = await openStore(t);
  await write(db, 5);
  const node = await startLineage(db);
  const before = await epochOf(db);
  node.note({ pets: 7 });
  await node.find("two");
  await db.transaction((tx) => tx.run("UPDATE store SET epoch = $1, server = 'one'", [before]));
  await node.find("one");
  assert.notEqual(await epochOf(db), before);
  assert.equal(node.renewed.length, 2);
});
