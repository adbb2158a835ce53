// The choice of engines: SQLite or PostgreSQL, counts in process or in Redis. No other file names them.

import { existsSync, promises } from "node:fs";
import { dirname, isAbsolute } from "node:path";
import type { Config } from "./config/config.ts";
import { type Clock, systemClock } from "./domain/basics/clock.ts";
import type { KeyCounts } from "./domain/keys/admission.ts";
import type { CountStore, Gate } from "./domain/keys/gate.ts";
import { createInProcessGate } from "./gate/in-process.ts";
import type { RedisTarget } from "./gate/redis/client.ts";
import type { RedisInspection } from "./gate/redis/inspect.ts";
import type { StateChange } from "./gate/redis/server-probes.ts";
import type { Database } from "./storage/database.ts";
import type { Inspection } from "./storage/inspection.ts";
import type { PostgresOptions } from "./storage/postgres/connections.ts";
import { openSqlite } from "./storage/sqlite/engine.ts";
import { explainSqliteFault } from "./storage/sqlite/faults.ts";
import { inspectSqlite } from "./storage/sqlite/inspect.ts";
import { createNodeStore } from "./storage/stores/basics/nodes.ts";
import { createVersionStore } from "./storage/stores/basics/versions.ts";
import { type ExplainedError, OperatorError } from "./tools/operator-error.ts";

export type { RedisInspection } from "./gate/redis/inspect.ts";

/** Longer than a request has: an operator waits for a busy server rather than run a command or an import again. */
export const COMMAND_DEADLINE_MS = 6_000;

/** With `serving`, a SQLite file is locked against a second process that serves it. */
export async function openDatabase(
  config: Config,
  serving: boolean,
  options: Partial<PostgresOptions> = {},
): Promise<Database> {
  const { database, poolSize } = config;
  if (database.engine === "sqlite") return openSqlite(database.path, { serving, ...options });
  // Imported only when needed: most installations do not use it.
  const { openPostgres } = await import("./storage/postgres/engine.ts");
  return openPostgres(database.url, {
    poolSize,
    ...(!serving && { deadlineMs: COMMAND_DEADLINE_MS }),
    ...options,
  });
}

/** Throws if the SQLite file does not exist. */
export function requireStore({ database }: Config): void {
  if (database.engine !== "sqlite" || existsSync(database.path)) return;
  const hint = isAbsolute(database.path) ? "" : ` Relative paths start at ${process.cwd()}.`;
  throw new OperatorError(
    `There is no store at ${database.path}.${hint} Check DATABASE_URL; "serve" and "migrate" create one.`,
  );
}

/** Free space for the SQLite file; undefined for PostgreSQL, and where the file system does not say. */
export async function findFreeDiskBytes({ database }: Config): Promise<number | undefined> {
  if (database.engine !== "sqlite") return undefined;
  const found = await promises.statfs(dirname(database.path)).catch(() => undefined);
  return found && found.bavail * found.bsize;
}

/** Returns the error, or an OperatorError that says how to fix it if the cause is known. */
export async function explainWriteError({ database }: Config, error: unknown): Promise<unknown> {
  if (database.engine === "sqlite") return explainSqliteFault(database.path, error) ?? error;
  const { explainPostgresFault } = await import("./storage/postgres/faults.ts");
  return explainPostgresFault(error) ?? error;
}

/** Says why searches have no index, which only PostgreSQL can refuse; undefined if they have one. */
export async function findSearchFault(db: Database): Promise<ExplainedError | undefined> {
  if (db.engine === "sqlite") return undefined;
  const { findMissingIndex } = await import("./storage/search/postgres-index.ts");
  return findMissingIndex(db);
}

/** The prefix keeps a production and a staging service apart that share one Redis. */
function prefixOf({ environment }: Config): string {
  return `animal-store:${environment}`;
}

function redisTarget(config: Config, url: string): RedisTarget {
  return { url, sentinelPassword: config.redisSentinelPassword };
}

interface GateOptions {
  clock: Clock;
  /** The in-process gate watches it for changes by other processes. */
  db: Database;
  counts: CountStore;
  /** True for the service, false for a command. */
  isNode: boolean;
  onFlushError?: (error: unknown) => void;
  onRedisChange?: (change: StateChange) => void;
  onWatchError?: (error: unknown) => void;
}

export async function openGate(config: Config, options: GateOptions): Promise<Gate> {
  const { clock, db, counts, isNode, onFlushError = () => {} } = options;
  if (config.redisUrl === undefined) {
    const { foreignChanges } = db;
    return createInProcessGate({ clock, store: counts, foreignChanges, onFlushError });
  }
  // Imported only when needed: most installations do not use it.
  const { createRedisGate } = await import("./gate/redis/gate.ts");
  const timeOf = clock === systemClock ? undefined : clock;
  return createRedisGate({
    ...redisTarget(config, config.redisUrl),
    prefix: prefixOf(config),
    timeoutMs: config.redisTimeoutMs,
    isNode,
    clock,
    timeOf,
    versions: createVersionStore(db),
    nodes: createNodeStore(db),
    onStateChange: options.onRedisChange ?? (() => {}),
    onWatchError: options.onWatchError ?? (() => {}),
  }).catch(async (error) => {
    // The gate reads versions and nodes from the database when it opens.
    throw await explainWriteError(config, error);
  });
}

/** Copies counts into Redis, if REDIS_URL is set. */
export async function keepCounts(config: Config, counts: ReadonlyMap<bigint, KeyCounts>): Promise<void> {
  if (config.redisUrl === undefined) return;
  const { storeCounts } = await import("./gate/redis/gate.ts");
  await storeCounts({ ...redisTarget(config, config.redisUrl), prefix: prefixOf(config) }, counts);
}

export async function inspectStorage(config: Config, options: { deep: boolean }): Promise<Inspection> {
  const { database } = config;
  if (database.engine === "sqlite") return inspectSqlite(database.path, options);
  const { inspectPostgres } = await import("./storage/postgres/inspect.ts");
  return inspectPostgres(await openDatabase(config, false), database.url);
}

/** Rejects if Redis cannot be used; the message says why. */
export async function inspectRedis(config: Config, url: string): Promise<RedisInspection> {
  const { inspectRedisServer } = await import("./gate/redis/inspect.ts");
  return inspectRedisServer(redisTarget(config, url), prefixOf(config));
}
