// The database and the stores that a command opens, usually while the service runs.

import type { Config } from "./config/config.ts";
import { systemClock } from "./domain/basics/clock.ts";
import { type Admission, NO_COUNTS, peek } from "./domain/keys/admission.ts";
import type { ApiKey } from "./domain/keys/api-key.ts";
import type { Gate } from "./domain/keys/gate.ts";
import { belongsTo } from "./domain/keys/key-secret.ts";
import { policyOf } from "./domain/keys/plan.ts";
import {
  explainWriteError,
  findSearchFault,
  inspectStorage,
  openDatabase,
  openGate,
  requireStore,
} from "./engines.ts";
import { type Database, describeLost, type LostChanges } from "./storage/database.ts";
import {
  isCreated,
  listMissingMigrations,
  migrate,
  readSchemaVersion,
  refuseNewerSchema,
  SCHEMA_VERSION,
} from "./storage/migrations/migrate.ts";
import { createKeyStore } from "./storage/stores/keys/api-keys.ts";
import { createCountStore } from "./storage/stores/usage/key-counts.ts";
import { createStores, guardLineage, type Stores } from "./stores.ts";
import { OperatorError } from "./tools/operator-error.ts";
import { COMMAND } from "./tools/program.ts";

export { inspectRedis, type RedisInspection } from "./engines.ts";
export { NoPrimaryError } from "./storage/inspection.ts";

interface OpenedDatabase {
  db: Database;
  /** Present with REDIS_URL: changes are published to it, and it has the counts. */
  gate: Gate | undefined;
  close(): Promise<void>;
}

export interface OpenedForCommand extends OpenedDatabase {
  stores: Stores;
  /** The remaining requests and the ban of a key. Charges nothing. */
  peek(key: ApiKey): Promise<Admission>;
}

/**
 * Checks that the store exists and has the schema and ENVIRONMENT of this release and shell. With `create`, creates a
 * missing SQLite store.
 */
export async function openForCommand(config: Config, { create = false } = {}): Promise<OpenedDatabase> {
  if (!create) requireStore(config);
  const clock = systemClock;
  const db = await openDatabase(config, false);
  let gate: Gate | undefined;
  const close = async () => {
    await gate?.close();
    await db.close();
  };
  try {
    if (create && db.engine === "sqlite" && (await readSchemaVersion(db)) === 0)
      await migrate(db, clock.nowMs());
    await requireSchema(db);
    const counts = createCountStore(db);
    if (config.redisUrl !== undefined) gate = await openGate(config, { clock, db, counts, isNode: false });
    await guardLineage(db, gate, { onLost: warnOfLost });
    await refuseOtherEnvironment(db, config);
    return { db, gate, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** A command may find the new server before the service does. */
function warnOfLost(lost: LostChanges): void {
  process.stderr.write(`${describeLost(lost)}.\n`);
}

/** Opens the database while `work` runs. */
export async function withDatabase<T>(
  config: Config,
  work: (opened: OpenedDatabase) => Promise<T>,
  options?: { create?: boolean },
): Promise<T> {
  const opened = await openForCommand(config, options);
  return work(opened).finally(opened.close);
}

/** The same with all stores. */
export async function withStores<T>(
  config: Config,
  work: (opened: OpenedForCommand) => Promise<T>,
  options?: { create?: boolean },
): Promise<T> {
  const workWithStores = (opened: OpenedDatabase) => {
    const { db, gate } = opened;
    const peekStored = async (key: ApiKey) =>
      peek((await createCountStore(db).find(key.id)) ?? NO_COUNTS, policyOf(key), systemClock.nowMs());
    const stores = createStores(db, config, systemClock, gate);
    return work({ ...opened, stores, peek: async (key) => gate?.peek(key) ?? peekStored(key) });
  };
  return withDatabase(config, workWithStores, options);
}

/** Only `serve`, `migrate` and `copy` create tables, so that a command with a wrong DATABASE_URL does not. */
export async function requireSchema(db: Database): Promise<void> {
  const version = await readSchemaVersion(db);
  refuseNewerSchema(version);
  if (version === SCHEMA_VERSION) return;
  const found = version === 0 ? "is empty" : `has schema ${version}; this release needs ${SCHEMA_VERSION}`;
  const advice = version === 0 ? "Check DATABASE_URL, then start the service or run" : "Run";
  throw new OperatorError(`The database ${found}. ${advice}: ${COMMAND} migrate`);
}

/** With another ENVIRONMENT than the service, a command would create keys that the service rejects. */
async function refuseOtherEnvironment(db: Database, { environment }: Config): Promise<void> {
  const [first] = await createKeyStore(db).list({ limit: 1 });
  if (first === undefined || belongsTo(first.hint, environment)) return;
  throw new OperatorError(
    `The keys of this store are not for ENVIRONMENT=${environment}. Set ENVIRONMENT as for the service.`,
  );
}

/** `createdSchema` is undefined if there was a store. `write` gets the progress of long work. */
export async function migrateStorage(config: Config, write = (_line: string) => {}) {
  const db = await openDatabase(config, false);
  try {
    const applied = await migrate(db, systemClock.nowMs(), SCHEMA_VERSION, { write });
    const createdSchema = isCreated(applied) ? SCHEMA_VERSION : undefined;
    return { applied, createdSchema, searchFault: await findSearchFault(db) };
  } catch (error) {
    throw await explainWriteError(config, error);
  } finally {
    await db.close();
  }
}

/** With the schema of this release, and the names of the migrations that the database lacks. */
export async function inspect(config: Config, options: { deep: boolean }) {
  try {
    const found = await inspectStorage(config, options);
    return { ...found, knownVersion: SCHEMA_VERSION, missing: listMissingMigrations(found.schemaVersion) };
  } catch (error) {
    throw await explainWriteError(config, error);
  }
}
