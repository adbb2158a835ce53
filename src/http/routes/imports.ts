// Imports: importAnimals.

import { setTimeout as pause } from "node:timers/promises";
import type { FastifyRequest } from "fastify";
import { importReportJson, type ImportReport as Report } from "../../domain/animals/animal-import.ts";
import { ServiceError } from "../../domain/basics/errors.ts";
import { IMPORT_ROWS_MAX } from "../../domain/basics/request-limits.ts";
import { createFairQueue } from "../../tools/fair-queue.ts";
import { callerOf, originOf } from "../admission/caller.ts";
import { clientGone } from "../events/client-gone.ts";
import { JSON_TYPE } from "../headers/common-headers.ts";
import { logError } from "../replies/answer-error.ts";
import { createProgressLines } from "../replies/progress-lines.ts";
import { readImportSettings } from "../request/import-settings.ts";
import { readFileHeaders } from "../request/upload-file.ts";
import { ImportQuery, ImportReport } from "../schemas/imports.ts";
import { type Route, routePlugin } from "./route.ts";

/** On this node. One key runs one import at a time, so no key takes them all. */
const LIMITS = { atOnce: 2, waitingMax: 1 };
const WAIT_MS = 10_000;
const RETRY_AFTER_SECONDS = 5;
const PROGRESS_MS = 1_000;
const NO_CATEGORIES =
  "The API key belongs to a shelter, and may not create categories: import without the setting createCategories.";
/** A stop does not wait longer for imports. */
const LAST_BATCH_MS = 4_000;

type Needs = "importAnimals" | "receiveFile" | "changes" | "clock" | "publicUrl" | "timeouts";

export const importAnimals: Route<Needs> = (app, services) => {
  const { clock, timeouts } = services;
  const runImport = createImportRunner(services);
  const running = new Set<Promise<unknown>>();
  // The engines are closed afterwards, and an import may outlive its client by one batch.
  app.addHook("onClose", async () => {
    await Promise.race([Promise.allSettled(running), pause(LAST_BATCH_MS, undefined, { ref: false })]);
  });

  app.post("/imports", {
    schema: {
      operationId: "importAnimals",
      summary: "Import animals from a file",
      description: `The body is the file itself: CSV with a heading line, tab-separated values, or NDJSON, with at most ${IMPORT_ROWS_MAX.toLocaleString("en")} rows. The whole file is checked before the first row is written; without the setting \`skipBad\`, one bad row refuses the file. A row with the \`externalId\` of an animal changes that animal. The same file with the same settings again adds nothing, so an interrupted import is continued by sending it again. With \`progress=true\` the response is \`application/x-ndjson\`: lines of \`{"progress":{"rows":n}}\`, then \`{"report":…}\`, or \`{"error":…}\` if it fails after the first row was written. The import ends when the client leaves; what is done by then stays. One import of a key runs at a time, and ${LIMITS.atOnce} on a node.`,
      querystring: ImportQuery,
      answer: "The report.",
      response: { 200: ImportReport },
    },
    config: {
      access: "manage",
      upload: "file",
      repeatable: true,
      errors: ["invalid_file", "other_shelter", "file_has_bad_rows"],
    },
    handler: async (request, reply) => {
      const lines = createProgressLines(reply, timeouts?.progressMs ?? PROGRESS_MS);
      const { progress = false } = request.query;
      const imported = runImport(request, progress ? lines.report : () => {});
      running.add(imported);
      try {
        const report = await imported;
        const json = importReportJson(report, { nowMs: clock.nowMs(), publicUrl: services.publicUrl() });
        // Fastify sends a string unchanged, without serialising it.
        return progress ? lines.end(`{"report":${json}}`) : reply.type(JSON_TYPE).send(json as never);
      } catch (error) {
        if (!lines.isOpen()) throw error;
        return lines.end(`{"error":${JSON.stringify(logError(error, request).body)}}`);
      } finally {
        running.delete(imported);
      }
    },
  });
};

/** Receives a file and imports its animals, in turn with the imports of other keys. */
function createImportRunner(services: Parameters<Route<Needs>>[1]) {
  const { receiveFile, changes } = services;
  const runInTurn = createFairQueue(LIMITS, { onFull: busy, onTimeout: busy });

  return async (request: ImportCall, onProgress: (rows: number) => void): Promise<Report> => {
    const { format, charset } = readFileHeaders(request);
    const settings = readImportSettings(request.query.settings, charset);
    if (settings.createCategories && callerOf(request).shelterId !== undefined)
      throw new ServiceError("other_shelter", { message: NO_CATEGORIES });
    const gone = clientGone(request.socket);
    const signal = AbortSignal.any([gone, changes.ended]);
    const isDryRun = request.query.dryRun ?? false;
    const work = async (path: string) => {
      signal.throwIfAborted();
      const origin = originOf(request, services);
      return services.importAnimals({ path, format, settings, isDryRun, origin, signal, onProgress });
    };
    try {
      return await receiveFile(request, (path) =>
        runInTurn(callerOf(request).id, performance.now() + WAIT_MS, () => work(path)),
      );
    } catch (error) {
      if (gone.aborted) throw new ServiceError("bad_request", { cause: error });
      throw changes.ended.aborted && !(error instanceof ServiceError) ? stopping() : error;
    }
  };
}

export const importRoutes = routePlugin("Animals", importAnimals);

type ImportCall = FastifyRequest<{ Querystring: { dryRun?: boolean; settings?: string } }>;

function busy(): ServiceError {
  const message = `This key has a running import, or ${LIMITS.atOnce} of other keys are running. Send the file again after a short wait.`;
  return new ServiceError("unavailable", { message, retryAfterSeconds: RETRY_AFTER_SECONDS });
}

function stopping(): ServiceError {
  const message =
    "The service is stopping. Send the same file with the same settings again: the import continues.";
  return new ServiceError("unavailable", { message, retryAfterSeconds: RETRY_AFTER_SECONDS });
}
