// Groups on PostgreSQL: how many writes and reads share a transaction or a query, and the order across nodes.

import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { setTimeout as pause, setImmediate as yieldToEventLoop } from "node:timers/promises";
import pg from "pg";
import { migrate } from "../../../src/storage/migrations/migrate.ts";
import { openPostgres } from "../../../src/storage/postgres/engine.ts";
import { createPetStore } from "../../../src/storage/stores/animals/pets.ts";
import { followTable } from "../../contract/follow-table.ts";
import { assertConsistent } from "../../harness/clients/groups.ts";
import { askPostgres, createTestDatabase, openClient } from "../../harness/servers/databases.ts";

const ORIGIN = { keyId: 1n, atMs: 1_000 };
const REX = { name: "Rex", categoryId: 1n, status: "available" } as const;

/** Engines on one database, as of several nodes, and the sizes of the groups that they have committed. */
async function openNodes(t: TestContext, count: number) {
  const url = await createTestDatabase(t);
  const nodes = Array.from({ length: count }, () => {
    const groupSizes: number[] = [];
    const db = openPostgres(url, { poolSize: 4, onCommit: (size) => groupSizes.push(size) });
    let closed: Promise<void> | undefined;
    const close = () => (closed ??= db.close());
    t.after(close);
    return { db, groupSizes, close, pets: createPetStore(db) };
  });
  const [first] = nodes as [(typeof nodes)[number]];
  await migrate(first.db, 0);
  return { url, nodes, ...first };
}

/** Takes the lock of order, so that groups wait for it. */
async function holdOrder(t: TestContext, url: string): Promise<pg.Client> {
  const holder = await openClient(t, url);
  await holder.query("SELECT pg_advisory_lock(7305001)");
  return holder;
}

test("A hundred creates at the same moment share one transaction", async (t) => {
  const { db, pets, groupSizes } = await openNodes(t, 1);
  await Promise.all(Array.from({ length: 100 }, () => pets.create(REX, ORIGIN)));
  assert.deepEqual(groupSizes, [100]);
  const transactions = "SELECT count(DISTINCT xmin::text) AS count FROM";
  for (const table of ["pets", "history"])
    assert.deepEqual(await db.first(`${transactions} ${table}`), { count: 1n }, table);
});

test("A group has at most 256 writes", async (t) => {
  const { db, pets, groupSizes } = await openNodes(t, 1);
  await Promise.all(Array.from({ length: 600 }, () => pets.create(REX, ORIGIN)));
  assert.deepEqual(groupSizes, [256, 256, 88]);
  await assertConsistent(db);
});

test("One group at a time is under way, and writes that arrive during it share the next", {
  timeout: 30_000,
}, async (t) => {
  const { url, pets, groupSizes } = await openNodes(t, 1);
  const holder = await holdOrder(t, url);
  const first = pets.create(REX, ORIGIN);
  const backends = `SELECT wait_event FROM pg_stat_activity
    WHERE application_name = 'animal-store' AND state <> 'idle' AND datname = current_database()`;
  const busy = async () => (await holder.query(backends)).rows;
  while (!(await busy()).some(({ wait_event: event }) => event === "advisory")) await pause(5);
  const others = Array.from({ length: 50 }, () => pets.create(REX, ORIGIN));
  // A read has a connection of its own: what was to be sent before it has been sent.
  for (let i = 0; i < 3; i++) await pets.find(1n);
  assert.deepEqual(await busy(), [{ wait_event: "advisory" }]);
  await holder.query("SELECT pg_advisory_unlock(7305001)");
  await Promise.all([first, ...others]);
  assert.deepEqual(groupSizes, [1, 50]);
});

test("Groups of two nodes keep the order of ids and numbers, also for a reader that follows", async (t) => {
  const { url, nodes, db } = await openNodes(t, 2);
  const reader = openPostgres(url, { poolSize: 2 });
  t.after(() => reader.close());
  const rounds = 12;
  const writeAll = async ({ pets }: (typeof nodes)[number], node: number) => {
    for (let round = 0; round < rounds; round++) {
      const size = ((round * 7 + node * 5) % 13) + 1;
      const create = (_: unknown, index: number) =>
        pets.create({ ...REX, name: `${node} ${round} ${index}` }, ORIGIN);
      const created = await Promise.all(Array.from({ length: size }, create));
      await pets.update(created[0]?.id ?? 0n, { name: `${node} ${round} renamed` }, ORIGIN);
    }
  };
  const writing = Promise.all(nodes.map(writeAll));
  await Promise.all([
    followTable(reader, { table: "pets", column: "id" }, writing),
    followTable(reader, { table: "history", column: "number" }, writing),
  ]);
  for (const { groupSizes } of nodes) assert.equal(groupSizes.length, 2 * rounds, "one group for each wave");
  await assertConsistent(db);
  const owners = await db.all("SELECT split_part(name, ' ', 1) AS node FROM pets ORDER BY id");
  const changes = owners.filter(({ node }, index) => index > 0 && node !== owners[index - 1]?.node).length;
  assert.ok(changes > 2, "groups of both nodes took turns");
});

test("Fifty finds of one tick are one query, and each gets its own animal", async (t) => {
  const { pets } = await openNodes(t, 1);
  for (const name of ["Rex", "Max", "Ida"]) await pets.create({ ...REX, name }, ORIGIN);
  const { mock } = t.mock.method(pg.Client.prototype, "query");
  /** The names of the statements since the last call. A new connection also sends one, without a name. */
  const takeSent = () => {
    const names = mock.calls.map(({ arguments: [query] }) => (query as { name?: string }).name);
    mock.resetCalls();
    return names.filter((name) => name !== undefined).toSorted();
  };
  const find = (_: unknown, index: number) => pets.find(BigInt(index % 5));
  const found = await Promise.all(Array.from({ length: 50 }, find));
  assert.deepEqual(takeSent(), ["findPet"]);
  const names = [undefined, "Rex", "Max", "Ida", undefined];
  assert.deepEqual(
    found.map((pet) => pet?.name),
    found.map((_, index) => names[index % 5]),
  );
  await Promise.all([pets.find(1n), pets.list({}, { limit: 1 }), pets.list({}, { limit: 2 })]);
  assert.deepEqual(takeSent(), ["findPet", "listPets"], "one for each statement");
  await Promise.all(Array.from({ length: 300 }, () => pets.find(1n)));
  assert.deepEqual(takeSent(), ["findPet", "findPet"], "at most 256 in each");
});

test("More than 4096 waiting writes are refused at once", async (t) => {
  const { db } = await openNodes(t, 1);
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const write = (work: () => Promise<void>) => db.transaction(work, { inOrder: true });
  const first = write(async () => {
    begin();
    await released;
  });
  await begun;
  const waiting = Array.from({ length: 4096 }, () => write(async () => {}));
  const refused = write(async () => {}).catch((error) => error.code);
  const atOnce = await Promise.race([refused, yieldToEventLoop("it waits")]);
  release();
  assert.equal(atOnce, "unavailable");
  await Promise.all([first, ...waiting]);
  await write(async () => {});
});

test("close() waits for writes that are queued", async (t) => {
  const { url, nodes } = await openNodes(t, 2);
  const [one, two] = nodes as [(typeof nodes)[number], (typeof nodes)[number]];
  const writes = Array.from({ length: 300 }, () => two.pets.create(REX, ORIGIN));
  let isStored = false;
  const stored = Promise.all(writes).then(() => {
    isStored = true;
  });
  await two.close();
  assert.equal(isStored, true);
  await stored;
  assert.deepEqual(await one.db.first("SELECT count(*) AS count FROM pets"), { count: 300n });
  const { rows } = await askPostgres(url, "SELECT count(*) AS count FROM history");
  assert.deepEqual(rows, [{ count: "300" }]);
});
