// From a configuration to a running service, or to the stores that a command works with.

import type { AddressInfo } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { promisify } from "node:util";
import type { FastifyInstance } from "fastify";
import type { Logger } from "pino";
import type { Config } from "./config.ts";
import type { ApiKey } from "./domain/api-key.ts";
import { type Clock, systemClock } from "./domain/clock.ts";
import { OperatorError } from "./domain/errors.ts";
import { type Gate, policyOf } from "./domain/gate.ts";
import type { IssuedKey, KeyRing } from "./domain/key-ring.ts";
import { belongsTo } from "./domain/key-secret.ts";
import { type Admission, NO_COUNTS, peek } from "./domain/limits.ts";
import { inspectStorage, keepCounts, openDatabase, openGate, requireStore } from "./engines.ts";
import type { Readiness, Timeouts } from "./http/services.ts";
import { type CopiedTable, type CopyProgress, copyAll } from "./storage/copy.ts";
import type { Database } from "./storage/database.ts";
import type { Inspection } from "./storage/inspection.ts";
import { createCountStore } from "./storage/key-counts.ts";
import { migrate, readSchemaVersion, refuseNewerSchema, SCHEMA_VERSION } from "./storage/migrations.ts";
import { createStores, type Stores } from "./stores.ts";
import { startUpkeep } from "./upkeep.ts";

const FAREWELL_MS = 1_000;
const FAREWELL_CHECK_MS = 20;

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
  /** The first key of an empty store, or nothing when there are keys already or one is configured. */
  createFirstKey(): Promise<IssuedKey | undefined>;
  /** Ends holds that are over and forgets old answers, at once instead of with the next tick. */
  upkeep(): Promise<void>;
  /** Not ready, finish what runs, keep the counts, close the engines. */
  stop(): Promise<void>;
}

/** For a command beside a running service. A missing store is made only where `create` says so. */
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
    await requireSchema(db, clock);
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

/** An empty database gets its schema; an old one must be migrated first. */
async function requireSchema(db: Database, clock: Clock): Promise<void> {
  const version = await readSchemaVersion(db);
  refuseNewerSchema(version);
  if (version === 0) await migrate(db, clock.nowMs());
  else if (version < SCHEMA_VERSION) {
    const mend = `this release needs ${SCHEMA_VERSION}. Run: npm run -s animal-store -- migrate`;
    throw new OperatorError(`The database has schema ${version}; ${mend}`);
  }
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
    await requireSchema(from, systemClock);
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
  return { ...(await inspectStorage(config, options)), knownVersion: SCHEMA_VERSION };
}

export async function composeService(
  config: Config,
  options: { log: Logger; clock?: Clock; timeouts?: Timeouts },
): Promise<Service> {
  const { log, clock = systemClock } = options;
  // Loaded here and not above: the operators' commands need none of it and start in a third of the time without.
  const { buildApp } = await import("./http/app.ts");
  const { createMetrics } = await import("./http/metrics.ts");
  const metrics = createMetrics();
  const onIdleError = (err: Error) => log.warn({ err }, "a connection to PostgreSQL has ended");
  const db = await openDatabase(config, true, { onCommit: metrics.countCommit, onIdleError });
  let gate: Gate | undefined;
  try {
    for (const name of await migrate(db, clock.nowMs())) log.info({ name }, "migrated");
    gate = await openGate(config, {
      clock,
      db,
      counts: createCountStore(db),
      isNode: true,
      onFlushError: (err) => log.warn({ err }, "the counts of requests were not stored; trying again"),
      onRedisChange: (isAway, err) => {
        if (isAway) log.warn({ err }, "Redis does not answer; this node limits by itself");
        else log.info("Redis answers; limits are exact across nodes");
      },
    });
    if (config.database.engine === "postgres" && config.redisUrl === undefined) {
      log.warn("PostgreSQL without REDIS_URL is for one node: limits are counted in this process only");
    }
    const opened = gate;
    const stores = createStores(db, config, clock, opened);
    let isStopping = false;
    let address = "";
    const app = await buildApp({
      ...stores,
      stagingUrl: config.stagingUrl,
      corsOrigins: config.corsOrigins,
      trustProxy: config.trustProxy,
      connectionLimits: { total: config.maxConnections, perAddress: config.maxConnectionsPerAddress },
      getPetDeprecatedMs: config.getPetDeprecatedMs,
      clock,
      gate: opened,
      log,
      metrics,
      publicUrl: () => config.publicUrl ?? address,
      readiness: () => readinessOf(db, opened, isStopping),
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
        return stores.keyRing.createFirst({ name: "First key", plan: "enterprise", access: "admin" });
      },
      async stop() {
        isStopping = true;
        await drain(app, config.drainMs);
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

async function readinessOf(db: Database, gate: Gate, isStopping: boolean): Promise<Readiness> {
  if (isStopping) return { status: "stopping", reasons: ["the service is stopping"] };
  try {
    await db.ping();
    const reasons = [...(db.canWrite() ? [] : ["the last write to the database failed"]), ...gate.faults()];
    return { status: reasons.length > 0 ? "degraded" : "ready", reasons };
  } catch {
    return { status: "unavailable", reasons: ["the database does not answer, or takes no writes"] };
  }
}

/**
 * First the load balancers get the time to see that the service is not ready, while it goes on as usual. Then open
 * connections get a moment to end with an answer that says so, instead of being cut between two requests.
 */
async function drain(app: FastifyInstance, drainMs: number): Promise<void> {
  if (!app.server.listening) return;
  await pause(drainMs);
  const countConnections = promisify(app.server.getConnections.bind(app.server));
  const endMs = performance.now() + FAREWELL_MS;
  while (performance.now() < endMs && (await countConnections()) > 0) await pause(FAREWELL_CHECK_MS);
}

/** An address that can be pasted: the one listened on, or the local one where that is all of them. */
export function addressOf(host: string, port: number): string {
  const isAny = host === "0.0.0.0" || host === "::";
  const name = isAny ? "127.0.0.1" : host.includes(":") ? `[${host}]` : host;
  return `http://${name}:${port}`;
}
