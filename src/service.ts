// From settings to a running service.

import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { FastifyInstance } from "fastify";
import type { Logger } from "pino";
import type { Config } from "./config/config.ts";
import type { AggregatorFileWriter } from "./domain/animals/aggregator.ts";
import type { AnimalImporter } from "./domain/animals/animal-import.ts";
import { type Clock, systemClock } from "./domain/basics/clock.ts";
import type { Gate } from "./domain/keys/gate.ts";
import type { FirstKey } from "./domain/keys/key-ring.ts";
import type { Usage } from "./domain/usage/usage-store.ts";
import { explainWriteError, findSearchFault, openDatabase, openGate } from "./engines.ts";
import { removeLeftFolders } from "./files/temporary-folder.ts";
import { createHealthChecks } from "./health.ts";
import { createUsage } from "./http/observe/usage-counter.ts";
import type { HttpServices, Timeouts } from "./http/services.ts";
import { createImageProcessor } from "./images/processor.ts";
import { startMaintenance } from "./maintenance.ts";
import { type Database, describeLost } from "./storage/database.ts";
import type { ServerChange } from "./storage/database-servers.ts";
import { isCreated, migrate, SCHEMA_VERSION } from "./storage/migrations/migrate.ts";
import { createCountStore } from "./storage/stores/usage/key-counts.ts";
import { createStores, guardLineage, type Stores } from "./stores.ts";
import { formatUrl } from "./tools/local-url.ts";
import { type Dispatcher, startDispatcher } from "./webhooks/dispatcher.ts";
import { createWebhooks, type Webhooks } from "./webhooks/gateway.ts";

export interface Service {
  app: FastifyInstance;
  /** Resolves to the address it listens on. */
  listen(): Promise<string>;
  /** Creates an admin key if none is active and none is configured. */
  createFirstKey(): Promise<FirstKey | undefined>;
  /** Does the periodic jobs now instead of with the next timer. */
  runMaintenance(): Promise<void>;
  /** Stores the usage now instead of within a minute. */
  flushUsage(): Promise<void>;
  /** Sends what is due to webhooks now, and waits for the attempts. */
  runDeliveries(): Promise<void>;
  /** Reports not ready, finishes running requests, stores the counts, closes the engines. */
  stop(): Promise<void>;
}

interface ServiceOptions {
  log: Logger;
  logsPaths?: boolean;
  logLinesDropped?: () => number;
  clock?: Clock;
  timeouts?: Timeouts;
  /** Limits the work on one image; tests on a busy machine need more. */
  imageMs?: number;
  /** How long a read or a transaction may take on PostgreSQL. */
  databaseMs?: number;
  /** Replaces the importer. */
  importAnimals?: AnimalImporter | undefined;
  /** Replaces the writer of exports. */
  writeAggregatorFile?: AggregatorFileWriter | undefined;
}

type Context = Pick<HttpServices, "clock" | "log">;
type Parts = Pick<HttpServices, "clock" | "gate" | "log" | "logsPaths" | "metrics" | "timeouts"> &
  Pick<ServiceOptions, "imageMs" | "importAnimals" | "writeAggregatorFile"> & { db: Database };

interface ServiceState {
  isStopping: boolean;
  /** Where the service listens; the address is empty before. */
  port: number;
  address: string;
}

export async function createService(config: Config, options: ServiceOptions): Promise<Service> {
  const { log, clock = systemClock } = options;
  // Fastify, the routes and reference/ are imported here only: commands start 3 times as fast without them.
  const { createMetrics } = await import("./http/observe/metrics.ts");
  const metrics = createMetrics(options);
  const onIdleError = (err: Error) => log.warn({ err }, "a connection to PostgreSQL has ended");
  const db = await openDatabase(config, true, {
    ...(options.databaseMs !== undefined && { deadlineMs: options.databaseMs }),
    onCommit: metrics.countCommit,
    onIdleError,
    onServerChange: (change) => logServerChange(log, change),
  });
  let gate: Gate | undefined;
  try {
    await prepareDatabase(config, db, { clock, log });
    gate = await openServiceGate(config, db, { clock, log });
    return await assemble(config, { ...options, clock, db, gate, metrics });
  } catch (error) {
    await gate?.close();
    await db.close();
    throw error;
  }
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
async function prepareDatabase(config: Config, db: Database, { clock, log }: Context): Promise<void> {
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

async function openServiceGate(config: Config, db: Database, { clock, log }: Context): Promise<Gate> {
  if (config.database.engine === "postgres" && config.redisUrl === undefined)
    log.warn("PostgreSQL without REDIS_URL is for one node: limits are counted in this process only");
  return openGate(config, {
    clock,
    db,
    counts: createCountStore(db),
    isNode: true,
    onFlushError: (err) => log.warn({ err }, "request counts were not stored; will retry"),
    onRedisChange: ({ server, isAway, isSentinel, reason }) => {
      if (isSentinel) logSentinel(log, server, reason);
      else if (isAway)
        log.warn({ server, reason }, "Redis does not answer: this node admits its share of the limits");
      else log.info({ server }, "Redis answers again; limits are exact across nodes");
    },
    onWatchError: (err) =>
      log.warn({ err }, "versions and nodes were not read from the database; will retry"),
  });
}

function logSentinel(log: Context["log"], server: string, reason: string | undefined): void {
  if (reason === undefined) log.info({ server }, "Redis Sentinel answers again");
  else log.warn({ server, reason }, "Redis Sentinel does not answer");
}

async function assemble(config: Config, parts: Parts): Promise<Service> {
  const { clock, db, gate, log } = parts;
  const stores = createStores(db, config, clock, gate);
  await guardLineage(db, gate, {
    changes: stores.changes,
    onLost: (lost) => log.error(lost, describeLost(lost)),
  });
  await stores.keyRing.recallUsed();
  const state: ServiceState = { isStopping: false, port: config.port, address: "" };
  const publicUrl = () => config.publicUrl ?? state.address;
  const webhooks = createWebhooks(config, { findPort: () => state.port, clock });
  const usage = openUsage(stores, parts);
  const images = createImageProcessor(parts.imageMs === undefined ? {} : { limitMs: parts.imageMs });
  const app = await createApp(config, { ...parts, stores, state, publicUrl, webhooks, usage, images });
  const onError = (err: unknown) => log.warn({ err }, "periodic maintenance failed; will retry");
  const maintenance = startMaintenance({ ...stores, eventsKeptMs: config.eventsKeptMs, clock, onError });
  let dispatcher: Dispatcher | undefined;

  return {
    app,
    runMaintenance: maintenance.run,
    flushUsage: usage.flush,
    runDeliveries: async () => dispatcher?.run(),
    createFirstKey: () => stores.keyRing.createFirst("First key"),
    async listen() {
      await app.listen({ host: config.host, port: config.port });
      // Kept for requests that run during the stop: the server has no address by then.
      state.port = (app.server.address() as AddressInfo).port;
      state.address = formatUrl(config.host, state.port);
      // Not before: webhooks must not lead to this service, whose port is known now.
      dispatcher = startDeliveries(config, { ...parts, webhooks, stores, publicUrl });
      return state.address;
    },
    async stop() {
      state.isStopping = true;
      // First of all: clients that follow events connect to another node.
      stores.changes.end();
      const sent = dispatcher?.stop();
      // Load balancers see that the service is not ready, while it still answers.
      if (app.server.listening) await pause(config.drainMs);
      webhooks.stop();
      await app.close();
      images.close();
      await maintenance.stop();
      await sent;
      await usage.close().catch((err) => log.error({ err }, "usage was not stored"));
      await gate.close().catch((err) => log.error({ err }, "request counts were not stored"));
      await db.close();
    },
  };
}

function openUsage({ usageCounts }: Stores, { clock, log }: Parts): Usage {
  return createUsage({
    store: usageCounts,
    clock,
    onError: (err) => log.warn({ err }, "usage was not stored; will retry"),
    onOverflow: (responses) =>
      log.warn({ responses }, "too many keys for the usage of each: these responses were counted as other"),
  });
}

interface AppParts extends Parts, Pick<HttpServices, "images" | "publicUrl" | "usage"> {
  stores: Stores;
  state: ServiceState;
  webhooks: Webhooks;
}

async function createApp(config: Config, parts: AppParts): Promise<FastifyInstance> {
  const { stores, state, webhooks, clock, db, gate, log, logsPaths, metrics, timeouts } = parts;
  const { stagingUrl, contactUrl, corsOrigins, metricsToken, trustProxy, getPetDeprecatedMs, orderHoldMs } =
    config;
  const { buildApp } = await import("./http/app.ts");
  const { createReference } = await import("./reference/reference.ts");
  const { createAggregatorFileWriter } = await import("./transfer/export/aggregator-writer.ts");
  const { createPublicSite } = await import("./site/public-site.ts");
  const { createAnimalImporter } = await import("./transfer/import/importer.ts");
  const { dispatch } = stores;
  const isStopping = () => state.isStopping;
  const uploadFolder = uploadFolderOf(config);
  try {
    removeLeftFolders(uploadFolder);
  } catch (err) {
    log.warn({ err }, "uploaded files of an earlier run were not deleted");
  }
  return buildApp({
    ...stores,
    ...createHealthChecks({ config, db, gate, dispatch, clock, isStopping }),
    images: parts.images,
    importAnimals: parts.importAnimals ?? createAnimalImporter(db, { clock, changed: stores.petsChanged }),
    writeAggregatorFile: parts.writeAggregatorFile ?? createAggregatorFileWriter(db),
    uploadFolder,
    stagingUrl,
    contactUrl,
    corsOrigins,
    metricsToken,
    trustProxy,
    getPetDeprecatedMs,
    orderHoldMs,
    connectionLimits: { total: config.maxConnections, perAddress: config.maxConnectionsPerAddress },
    reference: createReference(),
    sitePages: createPublicSite({ ...stores, clock, publicUrl: parts.publicUrl }),
    webhookGateway: webhooks,
    clock,
    gate,
    log,
    logsPaths,
    metrics,
    usage: parts.usage,
    secrets: [config.adminApiKey, metricsToken, config.webhookSecretKey].filter((each) => each !== undefined),
    publicUrl: parts.publicUrl,
    isStopping,
    ...(timeouts && { timeouts }),
  });
}

/** Beside a SQLite store, which is on a disk that can be written. */
function uploadFolderOf({ database }: Config): string {
  return database.engine === "sqlite" ? dirname(database.path) : tmpdir();
}

/** Undefined if there is no key for signatures: then there are no webhooks either. */
function startDeliveries(
  { database, webhookSecretKey }: Config,
  parts: Pick<AppParts, "clock" | "log" | "metrics" | "publicUrl" | "stores" | "webhooks">,
): Dispatcher | undefined {
  const { webhooks, stores, clock, log, metrics, publicUrl } = parts;
  const isAlone = database.engine === "sqlite";
  if (!isAlone && webhookSecretKey === undefined) return undefined;
  return startDispatcher({
    webhooks,
    store: stores.dispatch,
    changes: stores.changes,
    clock,
    publicUrl,
    isAlone,
    observer: {
      attempted: metrics.countAttempt,
      warned: (id, failingSinceMs) =>
        log.warn(
          { webhook: String(id), failingSince: new Date(failingSinceMs) },
          "a webhook gets only failures; it is disabled after 5 days",
        ),
      disabled: (id, reason) => log.warn({ webhook: String(id), reason }, "a webhook was disabled"),
      unsigned: (id) =>
        log.warn(
          { webhook: String(id) },
          "a webhook has a secret of another WEBHOOK_SECRET_KEY or key file; nothing is sent to it",
        ),
      failed: (err) => log.warn({ err }, "webhooks were not sent; will retry"),
    },
  });
}
