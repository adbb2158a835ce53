// One log line and one metric per answer. Never a header, never a key.

import type { FastifyReply, FastifyRequest } from "fastify";
import type { Metrics } from "./metrics.ts";

export function recordAnswer(metrics: Metrics) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const operation = request.routeOptions.schema?.operationId ?? "none";
    const { statusCode, elapsedTime } = reply;
    metrics.countRequest(operation, statusCode, elapsedTime / 1000);
    request.log.info(
      {
        method: request.method,
        operation,
        keyId: request.apiKey?.id.toString(),
        status: statusCode,
        ms: Math.round(elapsedTime * 1000) / 1000,
      },
      "answered",
    );
  };
}
