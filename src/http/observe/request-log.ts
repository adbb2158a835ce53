// One log line and one metric per response. Never logs a header or a key.

import type { onResponseHookHandler } from "fastify";
import pino, { type Logger } from "pino";
import type { ApiKey } from "../../domain/keys/api-key.ts";
import { perTick } from "../../tools/per-tick.ts";
import { addressOf } from "../request/client-address.ts";
import type { Metrics } from "./metrics.ts";
import type { Traffic } from "./traffic.ts";

interface Answered {
  requestId: string;
  method: string;
  operation: string;
  /** The caller: its key, or its address where it has no valid key. */
  key?: ApiKey | undefined;
  address?: string;
  status: number;
  ms: number;
}

const SLASH = 0x2f;

/** Never throws. */
export type RecordAnswer = (answered: Answered) => void;

/** The lines of one event-loop tick are written together: the logger takes 6 µs for a single line. */
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

  /** The request was answered: a failure here must not affect it, nor the others of its tick. */
  function reportFailure({ requestId }: Answered, err: unknown): void {
    log.error({ reqId: requestId, err }, "an answer was not recorded");
  }

  return (answered) => {
    try {
      // Not delayed: it belongs to this minute. Outside /v1 the operation is a path.
      if (answered.operation.charCodeAt(0) !== SLASH) traffic.count(answered.status);
      write(answered);
    } catch (err) {
      reportFailure(answered, err);
    }
  };
}

/** In the logger's format. Nothing needs escaping: the only text of the client is a request id of safe characters. */
function lineOf({ requestId, method, operation, key, address, status, ms }: Answered): string {
  const who = key ? `"keyId":"${key.id}"` : `"address":"${address}"`;
  const what = `"method":"${method}","operation":"${operation}",${who},"status":${status}`;
  return `${requestId}",${what},"ms":${Math.round(ms * 1000) / 1000},"msg":"answered"}\n`;
}

/** Hook: records the responses of the framework. */
export function recordReply(record: RecordAnswer): onResponseHookHandler {
  return (request, reply, done) => {
    const { schema, url = "unknown" } = request.route;
    const { arrival } = request.raw;
    record({
      requestId: request.id,
      method: request.method,
      operation: schema?.operationId ?? url,
      ...(request.apiKey ? { key: request.apiKey } : { address: addressOf(request) }),
      status: reply.statusCode,
      ms: arrival === undefined ? reply.elapsedTime : performance.now() - arrival.startMs,
    });
    done();
  };
}
