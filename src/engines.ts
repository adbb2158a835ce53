// The only file that names concrete engines: which database and which gate stand behind the interfaces.

import { existsSync } from "node:fs";
import type { Config } from "./config.ts";
import { type Clock, systemClock } from "./domain/clock.ts";
import type { CountStore, Gate } from "./domain/keys/gate.ts";
import type { KeyCounts } from "./domain/keys/limits.ts";
import { createInProcessGate } from "./gate/in-process.ts";
import type { RedisInspection } from "./gate/redis/inspect.ts";
import type { StateChange } from "./gate/redis/servers.ts";
import type { Database } from "./storage/database.ts";
import type { Inspection } from "./storage/inspection.ts";
import { openSqlite } from "./storage/sqlite/engine.ts";
import { explainSqliteFault } from "./storage/sqlite/faults.ts";
import { inspectSqlite } from "./storage/sqlite/inspect.ts";
import { createNodeStore } from "./storage/stores/nodes.ts";
import { createVersionStore } from "./storage/stores/versions.ts";
import { asOwnerOf } from "./tools/folder-owner.ts";
import { OperatorError } from "./tools/operator-error.ts";

interface Observer {
  onCommit?: (groupSize: number) => void;
  onIdleError?: (error: Error) => void;
}

/** `serving` keeps a second process from serving the same SQLite file. */
export async function openDatabase(
  config: Config,
  serving: boolean,
  observer: Observer = {},
): Promise<Database> {
  const { database, poolSize } = config;
  if (database.engine === "sqlite") return openSqlite(database.path, { serving, ...observer });
  // Loaded here and not above: most run without it.
  const { openPostgres } = await import("./storage/postgres/engine.ts");
  return openPostgres(database.url, { poolSize, ...observer });
}

/** Throws for an embedded store that was never made. */
export function requireStore({ database }: Config): void {
  if (database.engine !== "sqlite" || existsSync(database.path)) return;
  throw new OperatorError(
    `There is no store at ${database.path}. Check DATABASE_URL; "serve" and "migrate" make one.`,
  );
}

/** The same error, or an OperatorError where it is known why writes fail and what to do. */
export async function explainWriteError({ database }: Config, error: unknown): Promise<unknown> {
  if (database.engine === "sqlite") {
    const { path } = database;
    return asOwnerOf(path, () => explainSqliteFault(path, error)) ?? error;
  }
  const { explainPostgresFault } = await import("./storage/postgres/faults.ts");
  return explainPostgresFault(error) ?? error;
}

/** A production and a staging service may share one Redis. */
function prefixOf({ environment }: Config): string {
  return `animal-store:${environment}`;
}

interface GateOptions {
  clock: Clock;
  /** The database whose foreign changes a gate in process takes notice of. */
  db: Database;
  counts: CountStore;
  /** Whether it serves requests; a command does not. */
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
  // Loaded here and not above: most run without it.
  const { createRedisGate } = await import("./gate/redis/gate.ts");
  const timeOf = clock === systemClock ? undefined : clock;
  return createRedisGate({
    url: config.redisUrl,
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
    // Versions and nodes are read from the database at once.
    throw await explainWriteError(config, error);
  });
}

/** Where Redis holds the counts, it gets those that a database kept. */
export async function keepCounts(config: Config, counts: ReadonlyMap<bigint, KeyCounts>): Promise<void> {
  if (config.redisUrl === undefined) return;
  const { storeCounts } = await import("./gate/redis/gate.ts");
  await storeCounts({ url: config.redisUrl, prefix: prefixOf(config) }, counts);
}

export async function inspectStorage(config: Config, options: { deep: boolean }): Promise<Inspection> {
  const { database } = config;
  if (database.engine === "sqlite") return inspectSqlite(database.path, options);
  const { inspectPostgres } = await import("./storage/postgres/inspect.ts");
  return inspectPostgres(await openDatabase(config, false));
}

/** Rejects with what is wrong with it. */
export async function inspectRedis(config: Config, url: string): Promise<RedisInspection> {
  const { inspectRedisServer } = await import("./gate/redis/inspect.ts");
  return inspectRedisServer(url, prefixOf(config));
}
