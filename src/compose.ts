// From a configuration to a running service, or to the stores that a command works with.

import type { AddressInfo } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import type { FastifyInstance } from "fastify";
import type { Logger } from "pino";
import type { Config } from "./config.ts";
import type { ApiKey } from "./domain/api-key.ts";
import { type Clock, systemClock } from "./domain/clock.ts";
import { OperatorError } from "./domain/errors.ts";
import { type Gate, policyOf } from "./domain/gate.ts";
import type { FirstKey, KeyRing } from "./domain/key-ring.ts";
import { belongsTo } from "./domain/key-secret.ts";
import { type Admission, NO_COUNTS, peek } from "./domain/limits.ts";
import {
  explainWriteError,
  inspectStorage,
  keepCounts,
  openDatabase,
  openGate,
  requireStore,
} from "./engines.ts";
import type { Readiness, Timeouts } from "./http/services.ts";
import { type CopiedTable, type CopyProgress, copyAll } from "./storage/copy.ts";
import type { Database } from "./storage/database.ts";
import type { Inspection } from "./storage/inspection.ts";
import { createCountStore } from "./storage/key-counts.ts";
import { migrate, readSchemaVersion, refuseNewerSchema, SCHEMA_VERSION } from "./storage/migrations.ts";
import { createWriteWatch, type WriteWatch } from "./storage/write-watch.ts";
import { createStores, type Stores } from "./stores.ts";
import { startUpkeep } from "./upkeep.ts";

export { inspectRedis } from "./engines.ts";

/** What the operators' commands work with. */
export interface CommandStores {
  keyRing: KeyRing;
  /** How the key stands, without a charge. */
  peek(key: ApiKey): Promise<Admission>;
  close(): Promise<void>;
}

export interface Service {
  app: FastifyInstance;
  /** Resolves to the address it listens on. */
  listen(): Promise<string>;
  /** An admin key where none is active, or nothing when there is one or one is configured. */
  createFirstKey(): Promise<FirstKey | undefined>;
  /** Ends holds that are over and forgets old answers, at once instead of with the next tick. */
  upkeep(): Promise<void>;
  /** Not ready, finish what runs, keep the counts, close the engines. */
  stop(): Promise<void>;
}

/** For a command beside a running service. A missing SQLite store is made only where `create` says so. */
export async function openStores(config: Config, options: { create: boolean }): Promise<CommandStores> {
  const { db, gate, stores, close } = await openBeside(config, options);
  const counts = createCountStore(db);
  const look = async (key: ApiKey) =>
    peek((await counts.find(key.id)) ?? NO_COUNTS, policyOf(key), systemClock.nowMs());
  return { keyRing: stores.keyRing, peek: async (key) => gate?.peek(key) ?? look(key), close };
}

interface Beside {
  db: Database;
  /** There where nodes share one: it must hear of changes, and knows the counts. */
  gate: Gate | undefined;
  stores: Stores;
  close(): Promise<void>;
}

/** The database and the stores of a command, with everything checked that could be wrong with them. */
export async function openBeside(config: Config, { create }: { create: boolean }): Promise<Beside> {
  if (!create) requireStore(config);
  const clock = systemClock;
  const db = await openDatabase(config, false);
  let gate: Gate | undefined;
  const close = async () => {
    await gate?.close();
    await db.close();
  };
  try {
    if (create && db.engine === "sqlite") await createSchema(db, clock);
    await requireSchema(db);
    if (config.redisUrl !== undefined)
      gate = await openGate(config, { clock, db, counts: createCountStore(db), isNode: false });
    const stores = createStores(db, config, clock, gate);
    await refuseOtherEnvironment(stores.keyRing, config);
    return { db, gate, stores, close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function createSchema(db: Database, clock: Clock): Promise<void> {
  if ((await readSchemaVersion(db)) === 0) await migrate(db, clock.nowMs());
}

/** Only `serve`, `migrate` and `copy` make tables: a command with a wrong DATABASE_URL must not. */
async function requireSchema(db: Database): Promise<void> {
  const version = await readSchemaVersion(db);
  refuseNewerSchema(version);
  if (version === SCHEMA_VERSION) return;
  const found = version === 0 ? "is empty" : `has schema ${version}; this release needs ${SCHEMA_VERSION}`;
  const advice = version === 0 ? "Check DATABASE_URL, then start the service or run" : "Run";
  throw new OperatorError(`The database ${found}. ${advice}: npm run -s animal-store -- migrate`);
}

/** A command with another ENVIRONMENT than the service would make keys that the service refuses. */
async function refuseOtherEnvironment(keyRing: KeyRing, { environment }: Config): Promise<void> {
  const [first] = await keyRing.list({ limit: 1 });
  if (first === undefined || belongsTo(first.hint, environment)) return;
  throw new OperatorError(
    `The keys of this store are not for ENVIRONMENT=${environment}. Set ENVIRONMENT as for the service.`,
  );
}

/** Resolves to the names of the steps taken. */
export async function migrateStorage(config: Config): Promise<string[]> {
  const db = await openDatabase(config, false);
  try {
    return await migrate(db, systemClock.nowMs());
  } catch (error) {
    throw await explainWriteError(config, error);
  } finally {
    await db.close();
  }
}

/** The source must not be served meanwhile. */
export async function copyStorage(
  source: Config,
  target: Config,
  onProgress: CopyProgress,
): Promise<CopiedTable[]> {
  requireStore(source);
  const from = await openDatabase(source, true);
  try {
    await requireSchema(from);
    const to = await openDatabase(target, true);
    try {
      await migrate(to, systemClock.nowMs());
      // First, because it can be repeated; once the data is there, a copy is refused.
      await keepCounts(target, await createCountStore(from).readAll());
      return await copyAll(from, to, onProgress);
    } finally {
      await to.close();
    }
  } finally {
    await from.close();
  }
}

export async function inspect(
  config: Config,
  options: { deep: boolean },
): Promise<Inspection & { knownVersion: number }> {
  try {
    return { ...(await inspectStorage(config, options)), knownVersion: SCHEMA_VERSION };
  } catch (error) {
    throw await explainWriteError(config, error);
  }
}

export async function composeService(
  config: Config,
  options: { log: Logger; logLinesDropped?: () => number; clock?: Clock; timeouts?: Timeouts },
): Promise<Service> {
  const { log, clock = systemClock } = options;
  // Loaded here and not above: the operators' commands need none of it and start in a third of the time without.
  const { buildApp } = await import("./http/app.ts");
  const { createMetrics } = await import("./http/metrics.ts");
  const metrics = createMetrics(options);
  const onIdleError = (err: Error) => log.warn({ err }, "a connection to PostgreSQL has ended");
  const db = await openDatabase(config, true, { onCommit: metrics.countCommit, onIdleError });
  let gate: Gate | undefined;
  try {
    for (const name of await prepareDatabase(config, db, clock)) log.info({ name }, "migrated");
    gate = await openGate(config, {
      clock,
      db,
      counts: createCountStore(db),
      isNode: true,
      onFlushError: (err) => log.warn({ err }, "the counts of requests were not stored; trying again"),
      onRedisChange: ({ server, isAway, error }) => {
        // Not the whole error: the driver attaches the command, and AUTH has the password.
        const reason = error instanceof Error ? error.message : undefined;
        if (isAway) log.warn({ server, reason }, "Redis does not answer; this node limits by itself");
        else log.info({ server }, "Redis answers again; limits are exact across nodes");
      },
      onWatchError: (err) =>
        log.warn({ err }, "versions and nodes were not read from the database; trying again"),
    });
    if (config.database.engine === "postgres" && config.redisUrl === undefined) {
      log.warn("PostgreSQL without REDIS_URL is for one node: limits are counted in this process only");
    }
    const opened = gate;
    const writes = createWriteWatch(db);
    const stores = createStores(db, config, clock, opened);
    await stores.keyRing.recallUsed();
    let isStopping = false;
    let address = "";
    const app = await buildApp({
      ...stores,
      stagingUrl: config.stagingUrl,
      corsOrigins: config.corsOrigins,
      metricsToken: config.metricsToken,
      trustProxy: config.trustProxy,
      connectionLimits: { total: config.maxConnections, perAddress: config.maxConnectionsPerAddress },
      getPetDeprecatedMs: config.getPetDeprecatedMs,
      clock,
      gate: opened,
      log,
      metrics,
      publicUrl: () => config.publicUrl ?? address,
      readiness: () => readinessOf({ db, writes, gate: opened, isStopping }),
      isStopping: () => isStopping,
      ...(options.timeouts && { timeouts: options.timeouts }),
    });

    const upkeep = startUpkeep({
      ...stores,
      clock,
      onError: (err) => log.warn({ err }, "the upkeep was not finished; trying again"),
    });

    return {
      app,
      upkeep: upkeep.run,
      async listen() {
        await app.listen({ host: config.host, port: config.port });
        // Remembered: while the service stops, requests that still run need it, and the server has none any more.
        address = addressOf(config.host, (app.server.address() as AddressInfo).port);
        return address;
      },
      async createFirstKey() {
        if (config.adminApiKey !== undefined) return undefined;
        return stores.keyRing.createFirst("First key");
      },
      async stop() {
        isStopping = true;
        // Load balancers get the time to see that the service is not ready, while it goes on as usual.
        if (app.server.listening) await pause(config.drainMs);
        await app.close();
        await upkeep.stop();
        await opened.close().catch((err) => log.error({ err }, "the counts of requests were not stored"));
        await db.close();
      },
    };
  } catch (error) {
    await gate?.close();
    await db.close();
    throw error;
  }
}

/** Resolves to the names of the steps taken. Throws where the service could not write: it would start, and be of no use. */
async function prepareDatabase(config: Config, db: Database, clock: Clock): Promise<string[]> {
  try {
    const applied = await migrate(db, clock.nowMs());
    await db.testWrite();
    return applied;
  } catch (error) {
    throw await explainWriteError(config, error);
  }
}

interface Vitals {
  db: Database;
  writes: WriteWatch;
  gate: Gate;
  isStopping: boolean;
}

async function readinessOf({ db, writes, gate, isStopping }: Vitals): Promise<Readiness> {
  if (isStopping) return { status: "stopping", reasons: ["the service is stopping"] };
  try {
    await db.ping();
    const canWrite = await writes.isWritable();
    const reasons = [...(canWrite ? [] : ["the last write to the database failed"]), ...gate.faults()];
    return { status: reasons.length > 0 ? "degraded" : "ready", reasons };
  } catch {
    return { status: "unavailable", reasons: ["the database does not answer, or takes no writes"] };
  }
}

/** An address that can be pasted: the one listened on, or the local one where that is all of them. */
export function addressOf(host: string, port: number): string {
  const isAny = host === "0.0.0.0" || host === "::";
  const name = isAny ? "127.0.0.1" : host.includes(":") ? `[${host}]` : host;
  return `http://${name}:${port}`;
}
