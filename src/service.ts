// From settings to a running service.

import type { AddressInfo } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import type { FastifyInstance } from "fastify";
import type { Logger } from "pino";
import type { Config } from "./config.ts";
import { type Clock, systemClock } from "./domain/clock.ts";
import type { Gate } from "./domain/keys/gate.ts";
import type { FirstKey } from "./domain/keys/key-ring.ts";
import { explainWriteError, openDatabase, openGate } from "./engines.ts";
import type { Readiness, Timeouts } from "./http/services.ts";
import { startMaintenance } from "./maintenance.ts";
import type { Database } from "./storage/database.ts";
import { migrate } from "./storage/migrations/migrate.ts";
import { createCountStore } from "./storage/stores/key-counts.ts";
import { createWriteWatch, type WriteWatch } from "./storage/write-watch.ts";
import { createStores } from "./stores.ts";

export interface Service {
  app: FastifyInstance;
  /** Resolves to the address it listens on. */
  listen(): Promise<string>;
  /** An admin key where none is active, or nothing when there is one or one is configured. */
  createFirstKey(): Promise<FirstKey | undefined>;
  /** Ends holds that are over and forgets old answers, at once instead of with the next tick. */
  runMaintenance(): Promise<void>;
  /** Not ready, finish what runs, keep the counts, close the engines. */
  stop(): Promise<void>;
}

export async function createService(
  config: Config,
  options: { log: Logger; logLinesDropped?: () => number; clock?: Clock; timeouts?: Timeouts },
): Promise<Service> {
  const { log, clock = systemClock } = options;
  // Loaded here and not above: the operators' commands need none of it and start in a third of the time without.
  const { buildApp } = await import("./http/app.ts");
  const { createMetrics } = await import("./http/observe/metrics.ts");
  const { createReference } = await import("./reference/reference.ts");
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
      reference: createReference(),
      clock,
      gate: opened,
      log,
      metrics,
      publicUrl: () => config.publicUrl ?? address,
      readiness: () => readinessOf({ db, writes, gate: opened, isStopping }),
      isStopping: () => isStopping,
      ...(options.timeouts && { timeouts: options.timeouts }),
    });

    const maintenance = startMaintenance({
      ...stores,
      clock,
      onError: (err) => log.warn({ err }, "periodic maintenance failed; it will be retried"),
    });

    return {
      app,
      runMaintenance: maintenance.run,
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
        await maintenance.stop();
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
