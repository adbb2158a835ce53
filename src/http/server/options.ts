// How the HTTP server itself is set up: sizes, times, and what is asked of every request's form.

import type { Server } from "node:http";
import { type FastifyHttpOptions, LogController } from "fastify";
import { BODY_BYTES_MAX, HEADER_BYTES_MAX } from "../../domain/request-limits.ts";
import { normalizeTarget } from "../request/request-target.ts";
import { answerError } from "../response/answer-error.ts";
import { requestIdOf } from "../response/common-headers.ts";
import type { HttpServices } from "../services.ts";
import { answerClientError } from "./raw-answer.ts";

export const TIMEOUTS = { headersMs: 10_000, requestMs: 15_000, checkEveryMs: 2_000, stalledMs: 30_000 };
/** Longer than the idle time of common load balancers, so that they close first. */
const KEEP_ALIVE_MS = 72_000;

export function serverOptions(services: HttpServices): FastifyHttpOptions<Server> {
  const { headersMs, requestMs, checkEveryMs } = services.timeouts ?? TIMEOUTS;
  return {
    loggerInstance: services.log,
    // One line per request is written when it is answered, in request-log.ts.
    logController: new LogController({ disableRequestLogging: true }),
    // Lines name their request where they are written; a log of its own for each would cost 2 µs.
    childLoggerFactory: (log) => log,
    bodyLimit: BODY_BYTES_MAX,
    trustProxy: services.trustProxy.length > 0 ? services.trustProxy : false,
    genReqId: requestIdOf,
    requestIdHeader: false,
    requestTimeout: requestMs,
    keepAliveTimeout: KEEP_ALIVE_MS,
    // Requests that arrive on open connections during the stop are served, not turned away.
    return503OnClosing: false,
    forceCloseConnections: "idle",
    routerOptions: { maxParamLength: HEADER_BYTES_MAX },
    rewriteUrl: ({ url = "/" }) => normalizeTarget(url),
    clientErrorHandler: answerClientError(services),
    frameworkErrors: (error, request, reply) => {
      answerError(error, request, reply);
    },
    http: {
      headersTimeout: headersMs,
      connectionsCheckingInterval: checkEveryMs,
      maxHeaderSize: HEADER_BYTES_MAX,
      // Two Authorization headers become one that is no valid key, instead of the first of them.
      joinDuplicateHeaders: true,
      // Node would answer without a body; the first hook does it in our words.
      requireHostHeader: false,
      // An Upgrade header is ignored: Node would hand the socket to a listener that does nothing with it, not even with its
      // errors.
      shouldUpgradeCallback: () => false,
    },
  };
}
