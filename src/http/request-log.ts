// One log line and one metric per answer. Never a header, never a key.

import type { FastifyReply, FastifyRequest } from "fastify";
import { addressOf } from "./client-address.ts";
import type { Metrics } from "./metrics.ts";

export function recordAnswer(metrics: Metrics) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const { schema, url = "unknown" } = request.routeOptions;
    const operation = schema?.operationId ?? url;
    const { statusCode, elapsedTime } = reply;
    metrics.countRequest(operation, statusCode, elapsedTime / 1000);
    request.log.info(
      {
        method: request.method,
        operation,
        // Who it was: the key, or for want of one the address.
        ...(request.apiKey ? { keyId: request.apiKey.id.toString() } : { address: addressOf(request) }),
        status: statusCode,
        ms: Math.round(elapsedTime * 1000) / 1000,
      },
      "answered",
    );
  };
}
