// Stores with the schema of this release and without rows. They are copied or emptied, since to migrate one costs more
// than most tests.

import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import pg from "pg";
import type { Database } from "../../../src/storage/database.ts";
import { migrate } from "../../../src/storage/migrations/migrate.ts";
import { openPostgres } from "../../../src/storage/postgres/engine.ts";
import { openSqlite } from "../../../src/storage/sqlite/engine.ts";
import { makeFolder } from "../runner/folder.ts";
import { PATIENT_DATABASE_MS } from "../runner/patience.ts";
import { createDatabase, END_OTHERS, withConnection } from "./databases.ts";

/** The path of the file. All stores of a process have the same epoch. */
export async function copySqliteStore(t: TestContext, folder = makeFolder(t)): Promise<string> {
  const path = join(folder, "store.db");
  template ??= makeTemplate();
  copyFileSync(await template, path);
  return path;
}

let template: Promise<string> | undefined;

async function makeTemplate(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "animal-store-test-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, "store.db");
  await migrateAndClose(openSqlite(path));
  return path;
}

/** The URL of the database, which later tests take over: for tests that change neither its settings nor rights. */
export async function takePostgresStore(t: TestContext): Promise<string> {
  const url = (await emptyLeft()) ?? (await createStore());
  t.after(() => void left.push(url));
  return url;
}

/** Databases that finished tests of this process have left. */
const left: string[] = [];
/** How the tables look when no test has used them. */
let unused: { schema: string; restore: string } | undefined;

/** Tables with their columns, indexes, triggers and functions. */
const SCHEMA = `SELECT md5(string_agg(part, ',' ORDER BY part)) AS schema FROM (
  SELECT format('%s %s %s', relname, attname, atttypid) AS part
    FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid
    WHERE relnamespace = 'public'::regnamespace AND NOT attisdropped
  UNION ALL SELECT tgname FROM pg_trigger WHERE NOT tgisinternal
  UNION ALL SELECT proname FROM pg_proc WHERE pronamespace = 'public'::regnamespace
) parts`;
const TABLES = "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'";
/** One statement for each sequence; the migrations have assigned some ids. */
const RESTART_SEQUENCES = `SELECT format('SELECT setval(%L, %s, %L)', quote_ident(sequencename),
    coalesce(last_value, start_value), last_value IS NOT NULL) AS restart
  FROM pg_sequences WHERE schemaname = 'public'`;
const NEW_EPOCH = "UPDATE store SET epoch = substr(md5(random()::text), 1, 16)";

/** Undefined if there is none. One whose schema a test has changed is dropped with the server. */
async function emptyLeft(): Promise<string | undefined> {
  for (let url = left.pop(); url !== undefined; url = left.pop()) {
    const isEmptied = await withConnection(url, async (client) => {
      await client.query(END_OTHERS);
      const { rows } = await client.query(SCHEMA);
      if (unused === undefined || rows[0].schema !== unused.schema) return false;
      await client.query(unused.restore);
      return true;
    });
    if (isEmptied) return url;
  }
  return undefined;
}

async function createStore(): Promise<string> {
  const url = await createDatabase();
  await migrateAndClose(openPostgres(url, { poolSize: 1, deadlineMs: PATIENT_DATABASE_MS }));
  unused ??= await withConnection(url, describeUnused);
  return url;
}

async function describeUnused(client: pg.Client): Promise<{ schema: string; restore: string }> {
  const { rows: schemas } = await client.query(SCHEMA);
  const { rows: tables } = await client.query(TABLES);
  const statements: string[] = [];
  for (const { name } of tables) {
    const { rows } = await client.query(`SELECT coalesce(json_agg(${name}), '[]') AS rows FROM ${name}`);
    const text = pg.escapeLiteral(JSON.stringify(rows[0].rows));
    statements.push(`DELETE FROM ${name}`);
    if (rows[0].rows.length > 0)
      statements.push(`INSERT INTO ${name} SELECT * FROM json_populate_recordset(NULL::${name}, ${text})`);
  }
  const { rows: sequences } = await client.query(RESTART_SEQUENCES);
  statements.push(...sequences.map(({ restart }) => restart));
  // Rows of referenced tables are deleted in any order.
  const restore = ["SET session_replication_role = replica", ...statements, NEW_EPOCH];
  return { schema: schemas[0].schema, restore: restore.join(";\n") };
}

async function migrateAndClose(db: Database): Promise<void> {
  try {
    await migrate(db, 0);
  } finally {
    await db.close();
  }
}
