// The app of a node: gives the HTTP part its services.

import { tmpdir } from "node:os";
import { dirname } from "node:path";
import type { FastifyInstance } from "fastify";
import type { Config } from "../config/config.ts";
import type { AggregatorFileWriter } from "../domain/animals/aggregator.ts";
import type { AnimalImporter } from "../domain/animals/animal-import.ts";
import { removeLeftFolders } from "../files/temporary-folder.ts";
import type { HttpServices } from "../http/services.ts";
import type { Database } from "../storage/database.ts";
import type { Stores } from "../stores.ts";
import type { Webhooks } from "../webhooks/gateway.ts";
import { createHealthChecks } from "./health.ts";

type Given =
  | "clock"
  | "gate"
  | "images"
  | "isStopping"
  | "log"
  | "logsPaths"
  | "metrics"
  | "publicUrl"
  | "timeouts"
  | "usage";

export interface AppParts extends Pick<HttpServices, Given> {
  db: Database;
  stores: Stores;
  webhooks: Webhooks;
  /** Replaces the importer. */
  importAnimals?: AnimalImporter | undefined;
  /** Replaces the writer of exports. */
  writeAggregatorFile?: AggregatorFileWriter | undefined;
}

export async function createApp(config: Config, parts: AppParts): Promise<FastifyInstance> {
  const { stores, webhooks, clock, db, gate, log, logsPaths, metrics, timeouts } = parts;
  const { images, isStopping, publicUrl, usage } = parts;
  const { stagingUrl, contactUrl, corsOrigins, metricsToken, trustProxy, getPetDeprecatedMs, orderHoldMs } =
    config;
  const { buildApp } = await import("../http/app.ts");
  const { createReference } = await import("../reference/reference.ts");
  const { createAggregatorFileWriter } = await import("../transfer/export/aggregator-writer.ts");
  const { createPublicSite } = await import("../site/public-site.ts");
  const { createAnimalImporter } = await import("../transfer/import/importer.ts");
  const { dispatch } = stores;
  const uploadFolder = uploadFolderOf(config);
  try {
    removeLeftFolders(uploadFolder);
  } catch (err) {
    log.warn({ err }, "uploaded files of an earlier run were not deleted");
  }
  return buildApp({
    ...stores,
    ...createHealthChecks({ config, db, gate, dispatch, clock, isStopping }),
    images,
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
    sitePages: createPublicSite({ ...stores, clock, publicUrl }),
    webhookGateway: webhooks,
    clock,
    gate,
    log,
    logsPaths,
    metrics,
    usage,
    secrets: [config.adminApiKey, metricsToken, config.webhookSecretKey].filter((each) => each !== undefined),
    publicUrl,
    isStopping,
    ...(timeouts && { timeouts }),
  });
}

/** Beside a SQLite store, which is on a disk that can be written. */
function uploadFolderOf({ database }: Config): string {
  return database.engine === "sqlite" ? dirname(database.path) : tmpdir();
}
