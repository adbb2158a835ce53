// Applies the numbered migrations that a database lacks. Forward only.

import { performance } from "node:perf_hooks";
import { setTimeout as pause } from "node:timers/promises";
import { ServiceError } from "../../domain/basics/errors.ts";
import { OperatorError } from "../../tools/operator-error.ts";
import type { Database, Queries, Transaction } from "../database.ts";
import { refuseForeignSchema } from "../postgres/identity.ts";
import { addMissingTexts, hasAllTexts } from "../search/pet-texts.ts";
import { createTextIndex, findMissingIndex } from "../search/postgres-index.ts";
import { APPLICATION_ID } from "../sqlite/identity.ts";
import { animalsAndKeys } from "./0001-animals-and-keys.ts";
import { adoptions } from "./0002-adoptions.ts";
import { imports } from "./0003-imports.ts";
import { deprecatedUse } from "./0004-deprecated-use.ts";
import { versions } from "./0005-versions.ts";
import { events } from "./0006-events.ts";
import { audit } from "./0007-audit.ts";
import { webhooks } from "./0008-webhooks.ts";
import { fillTimes, hasAllTimes, INDEX_TIMES, listings } from "./0009-listings.ts";
import { search } from "./0010-search.ts";
import { photos } from "./0011-photos.ts";
import { usage } from "./0012-usage.ts";
import { waitingTexts } from "./0013-waiting-texts.ts";
import { searchIndex } from "./0014-search-index.ts";
import { searchTexts } from "./0015-search-texts.ts";
import { importedRows } from "./0016-imported-rows.ts";
import { HAS_SHELTER_INDEX, INDEX_SHELTERS, shelters } from "./0017-shelters.ts";
import { publicDoor } from "./0018-public-door.ts";
import { people } from "./0019-people.ts";
import { serverLineage } from "./0020-server-lineage.ts";
import type { Migration } from "./migration.ts";
import { createProgress, type Progress, type ProgressOptions } from "./progress.ts";

/** Advisory lock: of nodes that start at the same time, one migrates. */
const MIGRATION_LOCK = 7_305_002;
const MIGRATION_DEADLINE_MS = 600_000;
/**
 * A statement that waits for its lock blocks all later readers of the table, and pg_dump may hold the table for minutes.
 * So it gives up before reads time out, lets them pass, and tries again.
 */
const LOCK_WAIT_MS = 1_000;
const LOCK_PAUSE_MS = 1_000;
const LOCK_NOT_AVAILABLE = "55P03";
const INSUFFICIENT_PRIVILEGE = "42501";

const HAS_VERSIONS = {
  sqlite: "SELECT 1 AS found FROM sqlite_master WHERE type = 'table' AND name = 'schema_migrations'",
  postgres:
    "SELECT 1 AS found FROM pg_tables WHERE schemaname = current_schema() AND tablename = 'schema_migrations'",
};
const RECORD = "INSERT INTO schema_migrations (version, name, applied_at_ms) VALUES ($1, $2, $3)";

const MIGRATIONS: Migration[] = [
  animalsAndKeys,
  adoptions,
  imports,
  deprecatedUse,
  versions,
  events,
  audit,
  webhooks,
  listings,
  search,
  photos,
  usage,
  waitingTexts,
  searchIndex,
  searchTexts,
  importedRows,
  shelters,
  publicDoor,
  people,
  serverLineage,
];
export const SCHEMA_VERSION = MIGRATIONS.length;

/** 0 for an empty database. Throws an OperatorError for a PostgreSQL database of another program. */
export async function readSchemaVersion(db: Queries): Promise<number> {
  // SQLite files are checked when they are opened.
  if (db.engine === "postgres") await refuseForeignSchema(db);
  if ((await db.first(HAS_VERSIONS[db.engine])) === undefined) return 0;
  const newest = await db.first("SELECT max(version) AS version FROM schema_migrations");
  return Number(newest?.version ?? 0);
}

/** Throws if a newer release has migrated the database. */
export function refuseNewerSchema(version: number): void {
  if (version <= SCHEMA_VERSION) return;
  throw new OperatorError(
    `The database has schema ${version}; this release knows up to ${SCHEMA_VERSION}. Run the newer release again, or restore a backup from before the upgrade.`,
  );
}

/** Whether `migrate` has applied every migration, and thus created the tables. */
export function isCreated(applied: string[]): boolean {
  return applied.length === SCHEMA_VERSION;
}

/** The names of the migrations that a database with this schema lacks. */
export function listMissingMigrations(version: number): string[] {
  return MIGRATIONS.filter((each) => each.version > version).map(({ name }) => name);
}

/**
 * Applies all missing migrations up to `target`, or none, and prepares listings, search and shelters, which continues after an interruption.
 * Resolves to the names of the migrations.
 */
export async function migrate(
  db: Database,
  nowMs: number,
  target = SCHEMA_VERSION,
  reporting: ProgressOptions = { write: () => {} },
): Promise<string[]> {
  refuseNewerSchema(await readSchemaVersion(db));
  const work = async (tx: Transaction) => {
    if (db.engine === "postgres") await lockMigrations(tx);
    else await tx.run(`PRAGMA application_id = ${APPLICATION_ID}`);
    await tx.run(
      "CREATE TABLE IF NOT EXISTS schema_migrations (version BIGINT PRIMARY KEY, name TEXT NOT NULL, applied_at_ms BIGINT NOT NULL)",
    );
    const newest = await tx.first("SELECT coalesce(max(version), 0) AS version FROM schema_migrations");
    const version = Number(newest?.version);
    // Checked again inside the transaction: another process may have migrated since.
    refuseNewerSchema(version);
    const missing = MIGRATIONS.filter((each) => each.version > version && each.version <= target);
    for (const migration of missing) {
      for (const statement of migration[db.engine]) await tx.run(statement);
      await tx.run(RECORD, [migration.version, migration.name, nowMs]);
    }
    return missing.map(({ name }) => name);
  };
  const applied = await repeatForLock((deadlineMs) => db.transaction(work, { deadlineMs }));
  const progress = await createProgress(db, reporting);
  if (target >= listings.version) await withRights(() => prepareListings(db, nowMs, progress));
  if (target >= searchTexts.version) await withRights(() => prepareSearch(db, progress));
  if (target >= shelters.version) await withRights(() => prepareShelters(db, progress));
  return applied;
}

/** The preparations are not in the transaction of the migrations, which locks the animals: a large store takes minutes. */
async function prepareListings(db: Database, nowMs: number, progress: Progress): Promise<void> {
  if (await hasAllTimes(db)) return;
  await fillTimes(db, nowMs, (id) => progress.showDone("times of changes", id));
  progress.showStep("indexes of animals: creating them, changes wait until they are complete");
  const work = async (tx: Transaction) => {
    if (db.engine === "postgres") await lockMigrations(tx);
    for (const statement of INDEX_TIMES) await tx.run(statement);
  };
  await repeatForLock((deadlineMs) => db.transaction(work, { deadlineMs }));
}

async function prepareSearch(db: Database, progress: Progress): Promise<void> {
  if (!(await hasAllTexts(db))) await addMissingTexts(db, (id) => progress.showDone("search texts", id));
  if (db.engine !== "postgres") return;
  if ((await findMissingIndex(db)) !== undefined)
    progress.showStep("search index: creating it, changes of animals wait until it is complete");
  // Without it, everything works; `doctor` and the command `migrate` say how to get it.
  await repeatForLock(() => createTextIndex(db));
}

/** SQLite needs none of it: it has one node, which starts after the migration. */
async function prepareShelters(db: Database, progress: Progress): Promise<void> {
  if (db.engine === "sqlite" || (await db.first(HAS_SHELTER_INDEX)) !== undefined) return;
  progress.showStep("index of shelters: creating it, changes of animals wait until it is complete");
  const work = async (tx: Transaction) => {
    await lockMigrations(tx);
    await tx.run(INDEX_SHELTERS);
  };
  await repeatForLock((deadlineMs) => db.transaction(work, { deadlineMs }));
}

/** Without a right, nothing is prepared: the test write of the service says which rights the role lacks. */
async function withRights(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (codeOf(error) !== INSUFFICIENT_PRIVILEGE) throw error;
  }
}

async function lockMigrations(tx: Transaction): Promise<void> {
  await tx.first(`SELECT pg_advisory_xact_lock(${MIGRATION_LOCK})`);
  await tx.run(`SET LOCAL lock_timeout = ${LOCK_WAIT_MS}`);
}

/** The SQLSTATE of PostgreSQL. */
function codeOf(error: unknown): unknown {
  const cause = error instanceof ServiceError ? error.cause : error;
  return (cause as { code?: unknown } | undefined)?.code;
}

/** Repeats an attempt that did not get a lock in time, until the deadline. */
async function repeatForLock<T>(attempt: (deadlineMs: number) => Promise<T>): Promise<T> {
  const endMs = performance.now() + MIGRATION_DEADLINE_MS;
  for (;;) {
    try {
      return await attempt(Math.ceil(endMs - performance.now()));
    } catch (error) {
      const isLocked = codeOf(error) === LOCK_NOT_AVAILABLE;
      if (!isLocked || performance.now() + LOCK_PAUSE_MS >= endMs) throw error;
      await pause(LOCK_PAUSE_MS);
    }
  }
}
