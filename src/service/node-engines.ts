// Opens the database and the gate of a node, and logs changes of their servers.

import type { Logger } from "pino";
import type { Config } from "../config/config.ts";
import type { Clock } from "../domain/basics/clock.ts";
import type { Gate } from "../domain/keys/gate.ts";
import { explainWriteError, findSearchFault, openDatabase, openGate } from "../engines.ts";
import type { Metrics } from "../http/observe/metrics.ts";
import type { Database } from "../storage/database.ts";
import type { ServerChange } from "../storage/database-servers.ts";
import { isCreated, migrate, SCHEMA_VERSION } from "../storage/migrations/migrate.ts";
import { createCountStore } from "../storage/stores/usage/key-counts.ts";

interface Context {
  clock: Clock;
  log: Logger;
}

interface GateContext extends Context {
  metrics: Pick<Metrics, "countServerChange">;
}

interface DatabaseOptions {
  log: Logger;
  metrics: Pick<Metrics, "countCommit" | "countServerChange">;
  /** How long a read or a transaction may take on PostgreSQL. */
  databaseMs?: number | undefined;
}

export function openNodeDatabase(
  config: Config,
  { log, metrics, databaseMs }: DatabaseOptions,
): Promise<Database> {
  return openDatabase(config, true, {
    ...(databaseMs !== undefined && { deadlineMs: databaseMs }),
    onCommit: metrics.countCommit,
    onIdleError: (err) => log.warn({ err }, "a connection to PostgreSQL has ended"),
    onServerChange(change) {
      if (change.type !== "refused") metrics.countServerChange("postgres", change.type);
      logServerChange(log, change);
    },
  });
}

function logServerChange(log: Logger, change: ServerChange): void {
  const { type, host: server } = change;
  if (type === "found") log.info({ server }, "this PostgreSQL server takes the writes now");
  else if (type === "lost")
    log.warn(
      { server, reason: change.reason },
      "this PostgreSQL server is not used any more; looking for another",
    );
  else
    log.error(
      { server },
      "this PostgreSQL server takes writes, but its history is older than another's: it is not used. Stop it, and make it a standby of the other",
    );
}

/** Migrates the database and tests a write: a service that cannot write must not start. */
export async function prepareDatabase(config: Config, db: Database, { clock, log }: Context): Promise<void> {
  try {
    const write = (line: string) => log.info(line);
    const applied = await migrate(db, clock.nowMs(), SCHEMA_VERSION, { write });
    if (isCreated(applied)) log.info(`store created, schema ${SCHEMA_VERSION}`);
    else for (const name of applied) log.info({ name }, "migrated");
    const searchFault = await findSearchFault(db);
    if (searchFault !== undefined) log.warn(searchFault.message);
    await db.testWrite();
  } catch (error) {
    throw await explainWriteError(config, error);
  }
}

export async function openNodeGate(
  config: Config,
  db: Database,
  { clock, log, metrics }: GateContext,
): Promise<Gate> {
  if (config.database.engine === "postgres" && config.redisUrl === undefined)
    log.warn("PostgreSQL without REDIS_URL is for one node: limits are counted in this process only");
  return openGate(config, {
    clock,
    db,
    counts: createCountStore(db),
    isNode: true,
    onFlushError: (err) => log.warn({ err }, "request counts were not stored; will retry"),
    onRedisChange: ({ server, isAway, isSentinel, reason }) => {
      if (isSentinel) return logSentinel(log, server, reason);
      metrics.countServerChange("redis", isAway ? "lost" : "found");
      if (isAway)
        log.warn({ server, reason }, "Redis does not answer: this node admits its share of the limits");
      else log.info({ server }, "Redis answers again; limits are exact across nodes");
    },
    onWatchError: (err) =>
      log.warn({ err }, "versions and nodes were not read from the database; will retry"),
  });
}

function logSentinel(log: Logger, server: string, reason: string | undefined): void {
  if (reason === undefined) log.info({ server }, "Redis Sentinel answers again");
  else log.warn({ server, reason }, "Redis Sentinel does not answer");
}
