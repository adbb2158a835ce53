// One log line and one metric per answer. Never a header, never a key.

import type { FastifyReply, FastifyRequest } from "fastify";
import pino, { type Logger } from "pino";
import type { ApiKey } from "../../domain/keys/api-key.ts";
import { perTick } from "../../tools/per-tick.ts";
import { arrivedAtMs } from "../list-pets/arrivals.ts";
import { addressOf } from "../request/client-address.ts";
import type { Metrics } from "./metrics.ts";
import type { Traffic } from "./traffic.ts";

interface Answered {
  requestId: string;
  method: string;
  operation: string;
  /** Who it was: the key, or for want of one the address. */
  key?: ApiKey | undefined;
  address?: string;
  status: number;
  ms: number;
}

const SLASH = 0x2f;

export type RecordAnswer = (answered: Answered) => void;

/** The answers of one turn of the event loop are written together: for a line alone the logger takes 6 µs. */
export function createRecord(services: { metrics: Metrics; traffic: Traffic; log: Logger }): RecordAnswer {
  const { metrics, traffic, log } = services;
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

  /** The request was answered: what fails here must not reach it, nor the others of its turn. */
  function reportFailure({ requestId }: Answered, err: unknown): void {
    log.error({ reqId: requestId, err }, "an answer was not recorded");
  }

  return (answered) => {
    try {
      // At once: it belongs to this minute. Outside /v1 an operation goes by its path.
      if (answered.operation.charCodeAt(0) !== SLASH) traffic.count(answered.status);
      write(answered);
    } catch (err) {
      reportFailure(answered, err);
    }
  };
}

/** As the logger writes it. Nothing here needs escaping: no text of the client's is among it but a harmless id. */
function lineOf({ requestId, method, operation, key, address, status, ms }: Answered): string {
  const who = key ? `"keyId":"${key.id}"` : `"address":"${address}"`;
  const what = `"method":"${method}","operation":"${operation}",${who},"status":${status}`;
  return `${requestId}",${what},"ms":${Math.round(ms * 1000) / 1000},"msg":"answered"}\n`;
}

export function recordReply(request: FastifyRequest, reply: FastifyReply, record: RecordAnswer): void {
  const { schema, url = "unknown" } = request.route;
  const arrivedMs = arrivedAtMs.get(request.raw);
  record({
    requestId: request.id,
    method: request.method,
    operation: schema?.operationId ?? url,
    ...(request.apiKey ? { key: request.apiKey } : { address: addressOf(request) }),
    status: reply.statusCode,
    ms: arrivedMs === undefined ? reply.elapsedTime : performance.now() - arrivedMs,
  });
}
