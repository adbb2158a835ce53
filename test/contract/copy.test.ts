// `copy` between engines: every row of every table arrives unchanged, or nothing is kept.

import assert from "node:assert/strict";
import type { AuditRecord } from "../../src/domain/keys/audit.ts";
import { copyAll } from "../../src/storage/copy.ts";
import type { Database, Row, SqlValue } from "../../src/storage/database.ts";
import { migrate } from "../../src/storage/migrations/migrate.ts";
import { createListingStore } from "../../src/storage/stores/animals/listings.ts";
import { readStoreId } from "../../src/storage/stores/basics/versions.ts";
import { createAuditStore } from "../../src/storage/stores/keys/audit.ts";
import { TABLES, type TableName } from "../../src/storage/tables.ts";
import { column } from "../harness/clients/pages.ts";
import { ENGINE_NAMES, openEmptyStore, testOnEngines } from "./engines.ts";

const VIEW = { sort: "newest", nowMs: 0, publicUrl: "" } as const;

/** One row for each table, with a value in every column. An audit record has a key or a command. */
const ROWS: Partial<Record<TableName, SqlValue[]>> = {
  shelters: [
    4n,
    "Zoë's",
    '{"address":{"city":"Köln"}}',
    '{"id":4,"name":"Zoë\'s"}',
    50.938361,
    -180,
    49n,
    50n,
  ],
  pets: [
    5n,
    'Zoë "🐕"',
    -9_223_372_036_854_775_808n,
    "pending",
    '{"species":"dog","externalId":"é 1"}',
    "dog",
    "male",
    "small",
    "2024-02-29",
    "é 1",
    5n,
    30n,
    31n,
    "[]",
    4n,
  ],
  pet_texts: [5n, "zoe", 1n, "zoe"],
  people: [70n, "Zoë", "manage", 4n, 71n, 72n],
  invitations: [73n, 70n, "Zoë", "adopt", 4n, Buffer.alloc(32, 5), 74n, 75n, 76n, 77n],
  api_keys: [
    3n,
    "a",
    "pro",
    "adopt",
    5n,
    6n,
    "ask…",
    7n,
    8n,
    9n,
    10n,
    11n,
    12n,
    13n,
    4n,
    "secret",
    "[]",
    "t",
    70n,
  ],
  api_key_secrets: [Buffer.from([0, 255, 10]), 3n, 14n],
  device_links: [Buffer.alloc(32, 6), 3n, 78n],
  orders: [2n, 5n, "placed", "R-1", 3n, 15n, 16n, 17n],
  categories: [-3n, "Cats"],
  images: [Buffer.alloc(32, 4), 4000n, 3000n, null],
  image_files: [8n, Buffer.alloc(32, 4), 320n, Buffer.from([0, 13, 10, 255])],
  photos: [9n, 5n, 1n, Buffer.alloc(32, 4), 'Zoë "🐕"'],
  history: [1n, "pet.created", 5n, 2n, "{}", '{"status":"sold"}', 18n, 3n, -3n, 4n],
  audit: [1n, "key.created", 3n, null, "keyId:4", '{"plan":"free"}', '{"plan":"pro"}', 35n],
  webhooks: [
    6n,
    3n,
    "https://hooks.example.net/",
    "pet.*",
    "Zoë",
    "failing",
    1n,
    2n,
    "k1",
    36n,
    37n,
    38n,
    39n,
    40n,
  ],
  deliveries: [7n, 6n, 1n, "evt_0_1", "pet.created", "pending", 2n, 41n, 42n, 500n, "No response.", 43n, 44n],
  imports: [Buffer.alloc(32, 1), "csv", 19n, 20n, 21n, 22n, 23n, 24n, 25n, Buffer.from([26])],
  idempotency_keys: [Buffer.alloc(32, 2), Buffer.alloc(32, 3), 201n, "/x", Buffer.from([13, 0]), "pets", 25n],
  key_counts: [3n, 26n, 27n, 28n, 29n, 30n, 31n, 32n, 33n, 34n],
  usage_minutes: [45n, -1n, 200n, 46n],
  usage_days: [47n, 3n, "listPets", 304n, 48n],
};

async function fill(db: Database): Promise<void> {
  await db.transaction(async (tx) => {
    await tx.run("DELETE FROM shelters");
    for (const [table, values] of Object.entries(ROWS)) {
      const places = values.map((_, index) => `$${index + 1}`).join(", ");
      await tx.run(`INSERT INTO ${table} (${TABLES[table as TableName]}) VALUES (${places})`, values);
    }
  });
}

/** Everything that the store holds, whatever the list of tables says. */
async function readStore(db: Database): Promise<Record<string, Row[]>> {
  const names = {
    sqlite:
      "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%' AND name NOT LIKE '%_index%'",
    postgres: "SELECT tablename AS name FROM pg_tables WHERE schemaname = current_schema()",
  };
  const own = ["schema_migrations", "store", "nodes", "usage_writers"];
  const tables = (await db.all(names[db.engine])).map(({ name }) => String(name)).sort();
  const content: Record<string, Row[]> = {};
  for (const table of tables.filter((each) => !own.includes(each)))
    content[table] = (await db.all(`SELECT * FROM ${table} ORDER BY 1`)).map((row) => ({ ...row }));
  return content;
}

testOnEngines("copy of a store", async (t, from) => {
  await fill(from);
  const source = await readStore(from);
  for (const [table, rows] of Object.entries(source)) assert.ok(rows.length > 0, `${table} has a row`);

  for (const engine of ENGINE_NAMES) {
    await t.test(`a copy to ${engine} takes every column of every table, and an audit record`, async (t) => {
      const to = await openEmptyStore(t, engine);
      const copied = await copyAll(from, to, () => {});
      const { audit, ...target } = await readStore(to);
      assert.deepEqual({ ...target, audit: audit?.slice(0, 1) }, source);
      const [record] = (await createAuditStore(to).list({ limit: 1 })) as [AuditRecord];
      assert.deepEqual([audit?.length, record.number], [2, 2n]);
      assert.deepEqual([record.action, record.actor], ["data.copied", { command: "copy" }]);
      assert.deepEqual(record.from, { store: await readStoreId(from) });
      assert.deepEqual(record.to, { store: await readStoreId(to) });
      assert.deepEqual(
        copied.map(({ table, rows }) => [table, rows]),
        Object.keys(ROWS).map((table) => [table, 1]),
      );
    });

    await t.test(`a copy to ${engine} can be searched`, async (t) => {
      const to = await openEmptyStore(t, engine);
      await copyAll(from, to, () => {});
      const { json } = await createListingStore(to).list({ words: ["zoe"] }, { limit: 1 }, VIEW);
      assert.deepEqual(column(JSON.parse(json), "id"), [5]);
    });

    await t.test(`a copy to ${engine} continues the key versions, in another epoch`, async (t) => {
      const to = await openEmptyStore(t, engine);
      await from.transaction((tx) => tx.run("UPDATE store SET keys_version = 99"));
      await copyAll(from, to, () => {});
      const read = async (db: Database) => (await db.first("SELECT epoch, keys_version FROM store")) as Row;
      assert.equal((await read(to)).keys_version, 13n, "the version of the newest key");
      assert.notEqual((await read(to)).epoch, (await read(from)).epoch);
    });

    await t.test(`a copy to ${engine} is compared afterwards, and deleted if it differs`, async (t) => {
      const to = await openEmptyStore(t, engine);
      const before = await readStore(to);
      await plantDifference(to);
      await assert.rejects(
        copyAll(from, to, () => {}),
        /^Error: categories differs after the copy, so nothing was kept\./,
      );
      assert.deepEqual(await readStore(to), before);
    });
  }
});

testOnEngines("copy of a store whose texts are missing or from release 1.1.0", async (t, from) => {
  await from.transaction(async (tx) => {
    for (const name of ["Missing", "Old", "Unnamed"])
      await tx.run("INSERT INTO pets (name, category_id, status) VALUES ($1, 1, 'available')", [name]);
    const sql =
      "INSERT INTO pet_texts (pet_id, text, name) VALUES (2, 'QQold', 'stale'), (3, 'unnamed', NULL)";
    await tx.run(sql);
    await tx.run("UPDATE store SET texts_filled = 1");
  });
  for (const engine of ENGINE_NAMES)
    await t.test(`the next start of a copy on ${engine} writes them`, async (t) => {
      const to = await openEmptyStore(t, engine);
      await copyAll(from, to, () => {});
      await migrate(to, 0);
      const find = async (word: string) => {
        const { json } = await createListingStore(to).list({ words: [word] }, { limit: 5 }, VIEW);
        return column(JSON.parse(json), "name");
      };
      for (const name of ["Missing", "Old", "Unnamed"])
        for (const word of [name.toLowerCase(), name.slice(0, 2).toLowerCase()])
          assert.deepEqual(await find(word), [name], word);
      assert.deepEqual(await find("stale"), []);
      assert.equal((await to.first("SELECT texts_filled FROM store"))?.texts_filled, 1n);
    });
});

/** A trigger that changes what is inserted, as a faulty disk or driver would. */
async function plantDifference(db: Database): Promise<void> {
  const change = "UPDATE categories SET name = name || '!' WHERE name NOT LIKE '%!'";
  const statements = {
    sqlite: [`CREATE TRIGGER spoil AFTER INSERT ON categories BEGIN ${change}; END`],
    postgres: [
      `CREATE FUNCTION spoil() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN ${change}; RETURN NULL; END $$`,
      "CREATE TRIGGER spoil AFTER INSERT ON categories FOR EACH STATEMENT EXECUTE FUNCTION spoil()",
    ],
  };
  await db.transaction(async (tx) => {
    for (const statement of statements[db.engine]) await tx.run(statement);
  });
}
