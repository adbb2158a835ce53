// The list of tables equals the live catalog, so that `copy` and the stores miss no column of a later migration.

import assert from "node:assert/strict";
import type { Database } from "../../src/storage/database.ts";
import { columnsOf, keyOf, NUMBERED_TABLES, TABLES, type TableName } from "../../src/storage/tables.ts";
import { testOnEngines } from "./engines.ts";

const NAMES = Object.keys(TABLES) as TableName[];

/**
 * A row per column: its table, its name, whether it is the primary key, and whether the engine assigns its values. Without
 * the tables of FTS5, which has what it needs from the texts.
 */
const CATALOG = {
  sqlite: `SELECT t.name AS "table", c.name AS "column", c.pk > 0 AS is_key,
      c.pk > 0 AND t.sql LIKE '%AUTOINCREMENT%' AS is_assigned
    FROM sqlite_master AS t, pragma_table_info(t.name) AS c
    WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite%' AND t.name NOT LIKE '%_index%'
      AND t.name <> 'schema_migrations'`,
  postgres: `SELECT c.table_name AS "table", c.column_name AS "column",
      count(k.column_name) AS is_key, (c.is_identity = 'YES')::int::bigint AS is_assigned
    FROM information_schema.columns AS c
    LEFT JOIN (information_schema.key_column_usage AS k
      JOIN information_schema.table_constraints AS p USING (constraint_schema, constraint_name))
      ON p.constraint_type = 'PRIMARY KEY' AND k.table_schema = c.table_schema
        AND k.table_name = c.table_name AND k.column_name = c.column_name
    WHERE c.table_schema = current_schema() AND c.table_name <> 'schema_migrations'
    GROUP BY c.table_name, c.column_name, c.is_identity`,
};

async function readCatalog(db: Database) {
  const rows = await db.all(CATALOG[db.engine]);
  const select = (isWanted: (row: (typeof rows)[number]) => boolean) =>
    rows
      .filter(isWanted)
      .map((row) => `${row.table}.${row.column}`)
      .sort();
  return {
    columns: select(() => true),
    keys: select((row) => row.is_key === 1n),
    assigned: select((row) => row.is_assigned === 1n),
  };
}

testOnEngines("the list of tables", async (t, db) => {
  const tables = db.engine === "sqlite" ? NAMES.filter((table) => table !== "nodes") : NAMES;
  const catalog = await readCatalog(db);

  await t.test("the list names every column of every table", () => {
    const listed = tables.flatMap((table) => columnsOf(table).map((column) => `${table}.${column}`));
    assert.deepEqual(listed.sort(), catalog.columns);
  });

  await t.test("the list begins each table with its primary key", () => {
    const listed = tables.flatMap((table) => keyOf(table).map((column) => `${table}.${column}`));
    assert.deepEqual(listed.sort(), catalog.keys);
  });

  await t.test("the list names the tables whose ids the engine assigns", () => {
    assert.deepEqual(NUMBERED_TABLES.map((table) => `${table}.id`).sort(), catalog.assigned);
  });
});
