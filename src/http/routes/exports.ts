// Exports: getExport.

import { once } from "node:events";
import { PassThrough } from "node:stream";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Aggregator } from "../../domain/animals/aggregator.ts";
import { ServiceError } from "../../domain/basics/errors.ts";
import { createFairQueue } from "../../tools/fair-queue.ts";
import { callerOf } from "../admission/caller.ts";
import { clientGone } from "../events/client-gone.ts";
import { CSV_TYPE } from "../headers/common-headers.ts";
import { logError } from "../replies/answer-error.ts";
import { aggregatorOf, ExportFile, ExportPath, ExportQuery } from "../schemas/exports.ts";
import { type Route, routePlugin } from "./route.ts";

/** On this node. One key runs one export at a time, so no key takes them all. */
const LIMITS = { atOnce: 2, waitingMax: 1 };
const WAIT_MS = 10_000;
const RETRY_AFTER_SECONDS = 5;
/** An export keeps a snapshot of the database open. A client that reads slowly must not keep it for hours. */
const EXPORT_MS = 600_000;

type Needs = "writeAggregatorFile" | "clock" | "publicUrl" | "timeouts";
type Services = Parameters<Route<Needs>>[1];

export const getExport: Route<Needs> = (app, services) => {
  const runInTurn = createFairQueue(LIMITS, { onFull: busy, onTimeout: busy });

  app.get("/exports/:file", {
    schema: {
      operationId: "getExport",
      summary: "Get a file for an aggregator",
      description: `The available and pending animals as a file for Petfinder or RescueGroups, or the available ones for Adopt-a-Pet (\`pets.csv\` without photos), as of one moment. A key of a shelter gets the animals of its shelter. An animal without species, breed or sex, or for RescueGroups with a name of more than 50 characters, cannot be expressed: without \`skip\`, it refuses the file, because the aggregator deletes what the file does not contain. One export of a key runs at a time, and ${LIMITS.atOnce} on a node.`,
      params: ExportPath,
      querystring: ExportQuery,
      answer: "The file.",
      response: { 200: ExportFile },
    },
    config: { access: "manage", csv: true, errors: ["route_not_found", "file_has_bad_rows"] },
    handler: async (request, reply) => {
      const { params, query } = request;
      const wanted = { aggregator: aggregatorOf(params.file), skip: query.skip ?? false };
      const endMs = performance.now() + WAIT_MS;
      await runInTurn(callerOf(request).id, endMs, () => sendFile(services, { request, reply, wanted }));
      return reply;
    },
  });
};

interface Sending {
  request: FastifyRequest;
  reply: FastifyReply;
  wanted: { aggregator: Aggregator; skip: boolean };
}

/** While the file is written. An error before its first byte is an ordinary one. */
async function sendFile(services: Services, { request, reply, wanted }: Sending): Promise<void> {
  const gone = clientGone(request.socket);
  const signal = AbortSignal.any([gone, AbortSignal.timeout(services.timeouts?.exportMs ?? EXPORT_MS)]);
  const body = new PassThrough();
  let isOpen = false;
  function open(): void {
    if (!isOpen) reply.type(CSV_TYPE).send(body);
    isOpen = true;
  }
  try {
    signal.throwIfAborted();
    await services.writeAggregatorFile({
      ...wanted,
      shelterId: callerOf(request).shelterId,
      nowMs: services.clock.nowMs(),
      publicUrl: services.publicUrl(),
      signal,
      async write(text) {
        open();
        if (!body.write(text)) await once(body, "drain", { signal });
      },
    });
    open();
    body.end();
  } catch (error) {
    if (!isOpen) throw signal.aborted ? ended(gone, error) : error;
    if (!gone.aborted) logError(error, request);
    // The connection ends before the last chunk, so that the client sees an incomplete file.
    body.destroy(error as Error);
  }
}

export const exportRoutes = routePlugin("Listings", getExport);

function ended(gone: AbortSignal, cause: unknown): ServiceError {
  return new ServiceError(gone.aborted ? "bad_request" : "unavailable", { cause });
}

function busy(): ServiceError {
  const message = `This key has a running export, or ${LIMITS.atOnce} of other keys are running. Ask again after a short wait.`;
  return new ServiceError("unavailable", { message, retryAfterSeconds: RETRY_AFTER_SECONDS });
}
