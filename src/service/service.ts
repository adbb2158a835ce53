// From settings to a running service.

import type { AddressInfo } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import type { FastifyInstance } from "fastify";
import type { Logger } from "pino";
import type { Config } from "../config/config.ts";
import type { ImageProcessor } from "../domain/animals/stored-image.ts";
import { type Clock, systemClock } from "../domain/basics/clock.ts";
import type { Gate } from "../domain/keys/gate.ts";
import type { FirstKey } from "../domain/keys/key-ring.ts";
import type { Usage } from "../domain/usage/usage-store.ts";
import { createUsage } from "../http/observe/usage-counter.ts";
import { createImageProcessor } from "../images/processor.ts";
import { describeLost } from "../storage/database.ts";
import { createStores, guardLineage, type Stores } from "../stores.ts";
import { formatUrl } from "../tools/local-url.ts";
import type { Dispatcher } from "../webhooks/dispatcher.ts";
import { createWebhooks } from "../webhooks/gateway.ts";
import { type AppParts, createApp } from "./app.ts";
import { startDeliveries } from "./deliveries.ts";
import { startMaintenance } from "./maintenance.ts";
import { openNodeDatabase, openNodeGate, prepareDatabase } from "./node-engines.ts";

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

interface ServiceOptions
  extends Pick<AppParts, "importAnimals" | "logsPaths" | "timeouts" | "writeAggregatorFile"> {
  log: Logger;
  logLinesDropped?: () => number;
  clock?: Clock;
  /** Tests on a busy machine have one that waits longer. */
  images?: ImageProcessor;
  /** How long a read or a transaction may take on PostgreSQL. */
  databaseMs?: number;
}

interface Parts extends Omit<ServiceOptions, "clock">, Pick<AppParts, "clock" | "db" | "gate" | "metrics"> {}

interface ServiceState {
  isStopping: boolean;
  /** Where the service listens; the address is empty before. */
  port: number;
  address: string;
}

export async function createService(config: Config, options: ServiceOptions): Promise<Service> {
  const { log, clock = systemClock } = options;
  // Fastify, the routes and reference/ are imported here only: commands start 3 times as fast without them.
  const { createMetrics } = await import("../http/observe/metrics.ts");
  const metrics = createMetrics(options);
  const db = await openNodeDatabase(config, { ...options, metrics });
  let gate: Gate | undefined;
  try {
    await prepareDatabase(config, db, { clock, log });
    gate = await openNodeGate(config, db, { clock, log, metrics });
    return await assemble(config, { ...options, clock, db, gate, metrics });
  } catch (error) {
    await gate?.close();
    await db.close();
    throw error;
  }
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
  const { images = createImageProcessor() } = parts;
  const isStopping = () => state.isStopping;
  const app = await createApp(config, { ...parts, stores, isStopping, publicUrl, webhooks, usage, images });
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
