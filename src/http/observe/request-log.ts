// One log line, one metric and one count of usage per response. Never logs a header or a key.

import type { FastifyReply, FastifyRequest } from "fastify";
import pino, { type Logger } from "pino";
import type { ApiKey } from "../../domain/keys/api-key.ts";
import type { Usage } from "../../domain/usage/usage-store.ts";
import { perTick } from "../../tools/per-tick.ts";
import { addressOf } from "../headers/client-address.ts";
import { createPathCleaner, pathOf, pathWithQueryOf } from "./logged-path.ts";
import type { Metrics } from "./metrics.ts";

interface Answered {
  requestId: string;
  method: string;
  operation: string;
  /** The caller: its key, or its address where it has no valid key. */
  key?: ApiKey | undefined;
  address?: string;
  /** Absent where the operation is enough. */
  path?: string | undefined;
  status: number;
  ms: number;
}

const SLASH = 0x2f;

/** Never throws. */
export type RecordAnswer = (answered: Answered) => void;

interface Services {
  metrics: Metrics;
  usage: Pick<Usage, "count">;
  log: Logger;
  /** Whether every line has the path of the request and the name of the key. */
  logsPaths?: boolean | undefined;
  secrets?: string[];
}

/** The lines of one event-loop tick are written together: the logger takes 6 µs for a single line. */
export function createRecord(services: Services): RecordAnswer {
  const { metrics, usage, log } = services;
  const lineOf = createLine(services);
  const stream = (log as unknown as Record<symbol, { write(text: string): void }>)[pino.symbols.streamSym];
  const isLogged = log.isLevelEnabled("info");

  const write = perTick<Answered>((all) => {
    const head = `{"level":${pino.levels.values.info},"time":"${new Date().toISOString()}","reqId":"`;
    let lines = "";
    for (const answered of all) {
      try {
        metrics.countRequest(answered.operation, answered.status, answered.ms / 1000);
        if (isLogged) lines += `${head}${lineOf(answered)}`;
      } catch (err) {
        reportFailure(answered, err);
      }
    }
    if (lines !== "") stream?.write(lines);
  });

  /** The request was answered: a failure here must not affect it, nor the others of its tick. */
  function reportFailure({ requestId }: Answered, err: unknown): void {
    log.error({ reqId: requestId, err }, "an answer was not recorded");
  }

  return (answered) => {
    try {
      // Not delayed: it belongs to this minute. Outside /v1 the operation is a path.
      const { operation, key, status } = answered;
      if (operation.charCodeAt(0) !== SLASH) usage.count(key?.id, operation, status);
      write(answered);
    } catch (err) {
      reportFailure(answered, err);
    }
  };
}

/**
 * In the logger's format. Of the client's texts, only path and name of the key need escaping: a request id has safe
 * characters.
 */
function createLine({ logsPaths, secrets = [] }: Services): (answered: Answered) => string {
  const cleanPath = createPathCleaner(secrets);

  function describePath(path: string, key: ApiKey | undefined): string {
    const name = logsPaths && key ? `,"keyName":${JSON.stringify(key.name)}` : "";
    return `,"path":${JSON.stringify(cleanPath(path))}${name}`;
  }

  return ({ requestId, method, operation, key, address, path, status, ms }) => {
    const who = key ? `"keyId":"${key.id}"` : `"address":"${address}"`;
    const where = path === undefined ? "" : describePath(path, key);
    const what = `"method":"${method}","operation":"${operation}",${who}${where},"status":${status}`;
    return `${requestId}",${what},"ms":${Math.round(ms * 1000) / 1000},"msg":"answered"}\n`;
  };
}

export type RecordReply = (request: FastifyRequest, reply: FastifyReply) => void;

export function createReplyRecord(
  record: RecordAnswer,
  { logsPaths }: Pick<Services, "logsPaths">,
): RecordReply {
  return (request, reply) => {
    if (request.isRecorded) return;
    request.isRecorded = true;
    const { schema, url } = request.route;
    const { pending } = request.raw;
    record({
      requestId: request.id,
      method: request.method,
      operation: schema?.operationId ?? url ?? "unknown",
      ...(request.apiKey ? { key: request.apiKey } : { address: addressOf(request) }),
      path: logsPaths
        ? pathWithQueryOf(request.url, schema)
        : url === undefined
          ? pathOf(request.url)
          : undefined,
      status: reply.statusCode,
      ms: pending === undefined ? reply.elapsedTime : performance.now() - pending.startMs,
    });
  };
}
