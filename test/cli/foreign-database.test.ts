// No command changes a database of another program; only some commands create tables in an empty one.

import assert from "node:assert/strict";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import SqliteConnection from "better-sqlite3";
import pino from "pino";
import { makeSample } from "../../src/cli/sample-pets.ts";
import { migrateStorage, openForCommand, withDatabase } from "../../src/command-stores.ts";
import { type Config, readConfig } from "../../src/config/config.ts";
import { systemClock } from "../../src/domain/basics/clock.ts";
import { createService } from "../../src/service/service.ts";
import { migrate } from "../../src/storage/migrations/migrate.ts";
import { openSqlite } from "../../src/storage/sqlite/engine.ts";
import { APPLICATION_ID } from "../../src/storage/sqlite/identity.ts";
import { backupStore, restoreStore } from "../../src/transfer/backup.ts";
import { copyStorage } from "../../src/transfer/copy.ts";
import { exportAnimals } from "../../src/transfer/export/export.ts";
import { createAnimalImporter } from "../../src/transfer/import/importer.ts";
import { addSample } from "../../src/transfer/sample.ts";
import { commandsIn } from "../harness/clients/commands.ts";
import { assertFinding, findOne } from "../harness/clients/findings.ts";
import { makeFolder } from "../harness/runner/folder.ts";
import { askPostgres, createTestDatabase } from "../harness/servers/databases.ts";
import { startNode } from "../harness/servers/node.ts";
import { runCommand } from "../harness/servers/service.ts";
import { requestFor } from "../unit/transfer/rows.ts";

const RAILS =
  "CREATE TABLE schema_migrations (version VARCHAR(255) PRIMARY KEY); CREATE TABLE pets (id INTEGER)";

function makeSqlite(path: string, sql: string): void {
  const connection = new SqliteConnection(path);
  connection.exec(sql);
  connection.close();
}

/** The work of every command that opens the store. */
function worksOn(config: Config, folder: string): Record<string, () => Promise<unknown>> {
  const log = pino({ level: "silent" });
  const other = readConfig({ DATABASE_URL: `sqlite:${join(folder, "other.db")}` });
  const animals = join(folder, "animals.csv");
  writeFileSync(animals, "name,categoryId\nRex,1\n");
  const onProgress = () => {};
  const noSample = { ...makeSample(0), count: 0, pictured: 0 };
  const write = async () => {};
  return {
    serve: () => createService(config, { log }),
    migrate: () => migrateStorage(config),
    keys: () => openForCommand(config),
    "keys create --create-store": () => openForCommand(config, { create: true }),
    import: () =>
      withDatabase(config, ({ db }) =>
        createAnimalImporter(db, { clock: systemClock, changed: async () => {} })(requestFor(animals)),
      ),
    export: () => exportAnimals(config, { format: "csv", status: undefined, write, onProgress }),
    sample: () => addSample(config, noSample, onProgress),
    "copy from": () => copyStorage({ name: "--from", config }, { name: "--to", config: other }, onProgress),
  };
}

test("every command refuses a SQLite database of another program, and changes no byte of it", async (t) => {
  const folder = makeFolder(t);
  const path = join(folder, "photos.db");
  makeSqlite(path, "CREATE TABLE photos (name); INSERT INTO photos VALUES ('Rex')");
  const before = readFileSync(path);
  const config = readConfig({ DATABASE_URL: `sqlite:${path}` });
  const own = readConfig({ DATABASE_URL: `sqlite:${join(folder, "own.db")}` });
  await migrateStorage(own);
  const backup = { target: join(folder, "backup.db"), force: false, onProgress: () => {} };
  const works = {
    ...worksOn(config, folder),
    backup: () => backupStore(config, backup),
    "copy to": () => copyStorage({ name: "--from", config: own }, { name: "--to", config }, () => {}),
    restore: () => restoreStore(config, join(folder, "own.db"), { force: true, unsealed: true }),
  };
  for (const [command, work] of Object.entries(works)) {
    await assert.rejects(work, /photos\.db is a database of another program/, command);
  }
  const result = await runCommand(["serve"], { DATABASE_URL: `sqlite:${path}`, PORT: "0" });
  assert.equal(result.code, 1);
  assert.match(result.stderr, /^animal-store: .* Set DATABASE_URL to another file\.\n$/);
  const doctor = await findOne({ DATABASE_URL: `sqlite:${path}` }, "engine");
  assertFinding(doctor, "fault", /photos\.db is a database of another program/);
  assert.ok(readFileSync(path).equals(before));
  const left = readdirSync(folder).filter((name) => !name.startsWith("own.db"));
  assert.deepEqual(left.sort(), ["animals.csv", "photos.db"]);
});

test("a SQLite store is recognised by its application id, an older one by its tables", async (t) => {
  const folder = makeFolder(t);
  const readId = (path: string) => {
    const connection = new SqliteConnection(path, { readonly: true });
    const id = connection.pragma("application_id", { simple: true });
    connection.close();
    return id;
  };
  const make = async (path: string) => {
    const db = openSqlite(path);
    await migrate(db, 0);
    await db.close();
  };
  const path = join(folder, "store.db");
  await make(path);
  assert.equal(readId(path), APPLICATION_ID);

  await t.test("sets the id of an older store with the next start", async () => {
    makeSqlite(path, "PRAGMA application_id = 0");
    const environment = { DATABASE_URL: `sqlite:${path}` };
    await commandsIn(environment).readOutput("keys", "list");
    const service = await startNode(t, environment);
    await service.stop();
    assert.equal(readId(path), APPLICATION_ID);
  });

  const refused = {
    "a store that another program has marked as its own": "PRAGMA application_id = 1196444487",
    "another program's table of migrations beside a table of animals": `DROP TABLE schema_migrations;
      DROP TABLE pets; PRAGMA application_id = 0; ${RAILS}`,
  };
  for (const [what, sql] of Object.entries(refused)) {
    await t.test(`refuses ${what}`, async () => {
      const other = join(folder, `${sql.length}.db`);
      await make(other);
      makeSqlite(other, sql);
      assert.throws(() => openSqlite(other), /is a database of another program/);
    });
  }

  await t.test("refuses an empty database with the id of another program", () => {
    const other = join(folder, "geo.db");
    makeSqlite(other, "PRAGMA application_id = 1196444487");
    assert.throws(() => openSqlite(other), /is a database of another program/);
  });

  await t.test("accepts an empty file as a new store", async () => {
    const empty = join(folder, "empty.db");
    writeFileSync(empty, "");
    await make(empty);
    assert.equal(readId(empty), APPLICATION_ID);
  });
});

async function countTables(url: string): Promise<number | null> {
  const tables = "SELECT 1 FROM pg_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema')";
  return (await askPostgres(url, tables)).rowCount;
}

test("every command refuses a PostgreSQL database of another program, and creates nothing there", async (t) => {
  for (const sql of ["CREATE TABLE invoices (id INT); CREATE TABLE letters (id INT)", RAILS]) {
    const url = await createTestDatabase(t);
    await askPostgres(url, sql);
    const works = worksOn(readConfig({ DATABASE_URL: url }), makeFolder(t));
    for (const [command, work] of Object.entries(works)) {
      await assert.rejects(work, /holds tables of another program \(2, such as "\w+"\)/, command);
    }
    assert.equal(await countTables(url), 2);
  }
  const url = await createTestDatabase(t);
  await askPostgres(url, RAILS);
  const advice = /its own database, or its own schema: CREATE SCHEMA .*\n$/;
  await commandsIn({ DATABASE_URL: url }).assertRefused(["keys", "list"], advice);
  const doctor = await findOne({ DATABASE_URL: url }, "engine");
  assertFinding(doctor, "fault", /^The database holds tables of another program/);
});

test("the service works in its own schema of another program's database", async (t) => {
  const url = await createTestDatabase(t);
  await askPostgres(
    url,
    `${RAILS}; INSERT INTO schema_migrations VALUES ('20240101000000'); CREATE SCHEMA animals`,
  );
  const DATABASE_URL = `${url}?options=-csearch_path%3Danimals%2Cpublic`;
  const service = await startNode(t, { DATABASE_URL });
  assert.equal((await service.call("POST", "/pets", { body: { name: "Rex", categoryId: 1 } })).status, 201);
  assert.equal((await service.command("keys", "list")).code, 0);
  const { rows } = await askPostgres(url, "SELECT count(*) AS n FROM pets");
  assert.equal(Number(rows[0].n), 0, "the other program's table is as it was");

  const missing = commandsIn({ DATABASE_URL: `${url}?options=-csearch_path%3Dnothing` });
  await missing.assertRefused(["migrate"], /names no schema that exists\. Create the schema first/);
});

test("on an empty PostgreSQL database, only serve, migrate and copy create tables", async (t) => {
  const url = await createTestDatabase(t);
  const works = worksOn(readConfig({ DATABASE_URL: url }), makeFolder(t));
  const empty = /The database is empty\. Check (?:DATABASE_URL|--from), then start the service or/;
  for (const [command, work] of Object.entries(works))
    if (command !== "serve" && command !== "migrate") await assert.rejects(work, empty, command);
  const { assertRefused, readOutput } = commandsIn({ DATABASE_URL: url, PORT: "0" });
  const advice = /start the service or run: npm run -s animal-store -- migrate\n$/;
  await assertRefused(["keys", "list"], advice);
  assert.equal(await countTables(url), 0);
  for (const line of ["doctor", "migrate", "keys list"]) await readOutput(...line.split(" "));
});
