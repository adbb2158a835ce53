// All data from one database to another, whatever the engines: in one transaction, compared at the end.

import { createHash } from "node:crypto";
import { OperatorError } from "../tools/operator-error.ts";
import type { Database, Queries, SqlValue, Transaction } from "./database.ts";
import { createEpoch } from "./stores/versions.ts";

interface Table {
  name: string;
  /** The first is the key that rows are read by. */
  columns: string[];
  /** Whether the engine assigns the key. */
  hasSequence: boolean;
}

function table(name: string, columns: string): Table {
  return { name, columns: columns.split(" "), hasSequence: false };
}

function withSequence(name: string, columns: string): Table {
  return { ...table(name, columns), hasSequence: true };
}

/**
 * In the order in which they refer to each other. Not among them: the inventory, as adding the animals counts them; the
 * store's own row, as the copy is another store; the nodes that serve.
 */
const TABLES: Table[] = [
  withSequence("pets", "id name category_id status"),
  withSequence(
    "api_keys",
    "id name plan access per_minute per_day hint created_at_ms expires_at_ms revoked_at_ms last_used_at_ms unbanned_at_ms deprecated_used_at_ms version",
  ),
  table("api_key_secrets", "hash key_id ends_at_ms"),
  withSequence("orders", "id pet_id status reference key_id created_at_ms updated_at_ms expires_at_ms"),
  table("categories", "id name"),
  table("history", "number what pet_id order_id state_before state_after at_ms key_id"),
  table("imports", "checksum reading rows_done pets first_id last_id started_at_ms finished_at_ms"),
  table("idempotency_keys", "name fingerprint status location body touched created_at_ms"),
  table(
    "key_counts",
    "key_id minute_start_ms minute_used day_start_ms day_used refusals_start_ms refusals_used ban_start_ms ban_end_ms ban_number",
  ),
];

const ROWS_PER_STEP = 500;
const DEADLINE_MS = 24 * 3_600_000;

export interface CopiedTable {
  table: string;
  rows: number;
  checksum: string;
}

export type CopyProgress = (done: number, total: number) => void;

/** Both must have this release's schema. Throws when the target holds anything, or does not hold the same afterwards. */
export async function copyAll(
  from: Database,
  to: Database,
  onProgress: CopyProgress,
): Promise<CopiedTable[]> {
  for (const { name } of TABLES) {
    if ((await countRows(to, name)) === 0) continue;
    throw new OperatorError(`The target already holds ${name}. Copy to an empty database.`);
  }
  // The source stands still meanwhile, and neither side is bound to the time of a request.
  const options = { deadlineMs: DEADLINE_MS };
  return from.transaction(async (source) => {
    if (from.engine === "postgres")
      await source.run("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY");
    return to.transaction((tx) => copyTables(source, from.engine, tx, to.engine, onProgress), options);
  }, options);
}

async function copyTables(
  from: Transaction,
  fromEngine: Database["engine"],
  to: Transaction,
  toEngine: Database["engine"],
  onProgress: CopyProgress,
): Promise<CopiedTable[]> {
  let total = 0;
  for (const { name } of TABLES) total += await countRows(from, name);
  let done = 0;
  const copied: CopiedTable[] = [];
  for (const table of TABLES) {
    const source = await walk(from, table, async (rows) => {
      await insert(to, table, rows);
      done += rows.length;
      onProgress(done, total);
    });
    if (table.hasSequence) await copySequence(from, fromEngine, to, toEngine, table.name);
    const target = await walk(to, table, async () => {});
    if (source.checksum !== target.checksum) {
      throw new OperatorError(`${table.name} is not the same after the copy; nothing was kept.`);
    }
    copied.push({ table: table.name, ...source });
  }
  await beginEpoch(to);
  return copied;
}

/** Numbers of the target may have meant something else before. Versions of keys go on above those that were copied. */
async function beginEpoch(to: Transaction): Promise<void> {
  const sql = "UPDATE store SET epoch = $1, keys_version = (SELECT coalesce(max(version), 0) FROM api_keys)";
  await to.run(sql, [createEpoch()]);
}

async function countRows(db: Queries, table: string): Promise<number> {
  return Number((await db.first(`SELECT count(*) AS count FROM ${table}`))?.count);
}

/** Every row in the order of its key, a step at a time; resolves to their number and a checksum over all of them. */
async function walk(
  db: Queries,
  { name, columns }: Table,
  step: (rows: SqlValue[][]) => Promise<void>,
): Promise<{ rows: number; checksum: string }> {
  const [key = ""] = columns;
  const select = (condition: string) =>
    `SELECT ${columns.join(", ")} FROM ${name} ${condition} ORDER BY ${key} LIMIT ${ROWS_PER_STEP}`;
  const hash = createHash("sha256");
  let after: SqlValue | undefined;
  let count = 0;
  for (;;) {
    const found =
      after === undefined ? await db.all(select("")) : await db.all(select(`WHERE ${key} > $1`), [after]);
    const rows = found.map((row) => columns.map((column) => row[column] as SqlValue));
    if (rows.length === 0) return { rows: count, checksum: hash.digest("hex") };
    for (const row of rows) hash.update(`${JSON.stringify(row.map(toText))}\n`);
    await step(rows);
    count += rows.length;
    after = rows.at(-1)?.[0] as SqlValue;
  }
}

function toText(value: SqlValue): string | null {
  return Buffer.isBuffer(value) ? value.toString("hex") : (value?.toString() ?? null);
}

async function insert(tx: Transaction, { name, columns }: Table, rows: SqlValue[][]): Promise<void> {
  const places = rows.map((row, r) => `(${row.map((_, c) => `$${r * columns.length + c + 1}`).join(", ")})`);
  await tx.run(`INSERT INTO ${name} (${columns.join(", ")}) VALUES ${places.join(", ")}`, rows.flat());
}

/** An id that was given out stays given out, also when nothing carries it any more. */
async function copySequence(
  from: Transaction,
  fromEngine: Database["engine"],
  to: Transaction,
  toEngine: Database["engine"],
  table: string,
): Promise<void> {
  const row = await from.first(
    fromEngine === "sqlite"
      ? "SELECT seq AS last FROM sqlite_sequence WHERE name = $1"
      : `SELECT last_value AS last FROM ${table}_id_seq WHERE is_called AND $1 <> ''`,
    [table],
  );
  if (row === undefined) return;
  if (toEngine === "postgres") await to.first(`SELECT setval('${table}_id_seq', $1)`, [row.last as bigint]);
  else {
    const values = [table, row.last as bigint];
    // A table that no row was added to is not in it yet.
    const known = await to.run("UPDATE sqlite_sequence SET seq = $2 WHERE name = $1", values);
    if (known === 0) await to.run("INSERT INTO sqlite_sequence (name, seq) VALUES ($1, $2)", values);
  }
}
