// Copies all data from one database to another, between any two engines: in one transaction, compared at the end.

import { createHash } from "node:crypto";
import { systemClock } from "../domain/basics/clock.ts";
import { DAY_MS } from "../domain/basics/durations.ts";
import { OperatorError } from "../tools/operator-error.ts";
import type { Database, Queries, SqlValue, Transaction } from "./database.ts";
import { indexTexts } from "./search/pet-texts.ts";
import { createEpoch, readStoreId } from "./stores/basics/versions.ts";
import { recordAudit } from "./stores/keys/audit.ts";
import { columnsOf, keyOf, NUMBERED_TABLES, placeholders, TABLES, type TableName } from "./tables.ts";

/** Triggers count the inventory when the animals are added; a copy has its own epoch; nodes and writers are processes. */
const NOT_COPIED: TableName[] = ["inventory", "store", "nodes", "usage_writers"];
const COPIED = (Object.keys(TABLES) as TableName[]).filter((table) => !NOT_COPIED.includes(table));

const ROWS_PER_STEP = 500;
/** An image file has up to a megabyte. */
const FILES_PER_STEP = 4;
const DEADLINE_MS = DAY_MS;

export interface CopiedTable {
  table: string;
  rows: number;
  checksum: string;
}

export type CopyProgress = (done: number, total: number) => void;

/**
 * Both must have this release's schema. Throws if the target is not empty, or differs from the source afterwards. The
 * record of the copy is in the audit log of the target only.
 */
export async function copyAll(
  from: Database,
  to: Database,
  onProgress: CopyProgress,
): Promise<CopiedTable[]> {
  for (const table of COPIED) {
    // A new store has a shelter. If it was changed, there is a history.
    if ((await countRows(to, table)) <= (table === "shelters" ? 1 : 0)) continue;
    throw new OperatorError(`The target already holds ${table}. Copy to an empty database.`);
  }
  // Both transactions last as long as the copy, so that the source is read at one moment.
  const options = { deadlineMs: DEADLINE_MS };
  return from.transaction(async (source) => {
    if (from.engine === "postgres")
      await source.run("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY");
    return to.transaction((target) => copyTables(source, target, onProgress), options);
  }, options);
}

async function copyTables(
  from: Transaction,
  to: Transaction,
  onProgress: CopyProgress,
): Promise<CopiedTable[]> {
  let total = 0;
  for (const table of COPIED) total += await countRows(from, table);
  let done = 0;
  const copied: CopiedTable[] = [];
  await to.run("DELETE FROM shelters");
  for (const table of COPIED) {
    const source = await readAll(from, table, async (rows) => {
      await insert(to, table, rows);
      done += rows.length;
      onProgress(done, total);
    });
    if (NUMBERED_TABLES.includes(table)) await copySequence(from, to, table);
    const target = await readAll(to, table, async () => {});
    if (source.checksum !== target.checksum)
      throw new OperatorError(`${table} differs after the copy, so nothing was kept. Check the target.`);
    copied.push({ table, ...source });
  }
  await indexTexts(to);
  await renewEpoch(to);
  await recordAudit(to, {
    action: "data.copied",
    actor: { command: "copy" },
    from: { store: await readStoreId(from) },
    to: { store: await readStoreId(to) },
    atMs: systemClock.nowMs(),
  });
  return copied;
}

/**
 * Caches may still hold versions of the target from before. Key versions continue above the copied ones. The next start looks
 * for texts that are missing or from an older release: on PostgreSQL, nodes of such a release may have written to the source
 * after all texts were there.
 */
async function renewEpoch(to: Transaction): Promise<void> {
  const sql = `UPDATE store SET epoch = $1, texts_filled = 0,
    keys_version = (SELECT coalesce(max(version), 0) FROM api_keys)`;
  await to.run(sql, [createEpoch()]);
}

async function countRows(db: Queries, table: string): Promise<number> {
  return Number((await db.first(`SELECT count(*) AS count FROM ${table}`))?.count);
}

/** Reads all rows by primary key, a page at a time. Resolves to their number and a checksum over all of them. */
async function readAll(
  db: Queries,
  table: TableName,
  onPage: (rows: SqlValue[][]) => Promise<void>,
): Promise<{ rows: number; checksum: string }> {
  const columns = columnsOf(table);
  const keyColumns = keyOf(table);
  const key = keyColumns.join(", ");
  const limit = table === "image_files" ? FILES_PER_STEP : ROWS_PER_STEP;
  const select = (condition: string) =>
    `SELECT ${TABLES[table]} FROM ${table} ${condition} ORDER BY ${key} LIMIT ${limit}`;
  const hash = createHash("sha256");
  let after: SqlValue[] | undefined;
  let count = 0;
  for (;;) {
    const condition = after === undefined ? "" : `WHERE (${key}) > (${placeholders(keyColumns.length)})`;
    const found = await db.all(select(condition), after);
    const rows = found.map((row) => columns.map((column) => row[column] as SqlValue));
    if (rows.length === 0) return { rows: count, checksum: hash.digest("hex") };
    for (const row of rows) hash.update(`${JSON.stringify(row.map(toText))}\n`);
    await onPage(rows);
    count += rows.length;
    after = rows.at(-1)?.slice(0, keyColumns.length);
  }
}

function toText(value: SqlValue): string | null {
  return Buffer.isBuffer(value) ? value.toString("hex") : (value?.toString() ?? null);
}

async function insert(tx: Transaction, table: TableName, rows: SqlValue[][]): Promise<void> {
  const values = rows.map((row, index) => `(${placeholders(row.length, index * row.length + 1)})`);
  await tx.run(`INSERT INTO ${table} (${TABLES[table]}) VALUES ${values.join(", ")}`, rows.flat());
}

/** The id of a deleted row is never assigned again, also not in the copy. */
async function copySequence(from: Transaction, to: Transaction, table: TableName): Promise<void> {
  const row = await from.first(
    from.engine === "sqlite"
      ? "SELECT seq AS last FROM sqlite_sequence WHERE name = $1"
      : `SELECT last_value AS last FROM ${table}_id_seq WHERE is_called AND $1 <> ''`,
    [table],
  );
  if (row === undefined) return;
  const last = row.last as bigint;
  if (to.engine === "postgres") await to.first(`SELECT setval('${table}_id_seq', $1)`, [last]);
  else {
    // SQLite has added a row with the first insert into the table, if there was one.
    await to.run("DELETE FROM sqlite_sequence WHERE name = $1", [table]);
    await to.run("INSERT INTO sqlite_sequence (name, seq) VALUES ($1, $2)", [table, last]);
  }
}
