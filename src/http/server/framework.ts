// Sets Fastify up: request ids, logs, error handlers, methods, schemas, and the properties that hooks add to a request.

import type { Server } from "node:http";
import { type FastifyHttpOptions, type FastifyInstance, LogController } from "fastify";
import { BODY_BYTES_MAX, HEADER_BYTES_MAX } from "../../domain/basics/request-limits.ts";
import { http } from "../../tools/node-http.ts";
import { requestIdOf } from "../headers/common-headers.ts";
import { answerError } from "../replies/answer-error.ts";
import { compileSerializer } from "../replies/serializer.ts";
import { rewriteUrl } from "../request/request-form.ts";
import { compileValidator } from "../request/validation.ts";
import type { HttpServices } from "../services.ts";
import { answerClientError } from "./raw-answer.ts";

type Services = Pick<HttpServices, "log" | "trustProxy" | "gate" | "corsOrigins">;

export function frameworkOptions(services: Services): FastifyHttpOptions<Server> {
  return {
    loggerInstance: services.log,
    // request-log.ts writes one line per request when it is answered.
    logController: new LogController({ disableRequestLogging: true }),
    // Lines name their request where they are written; a logger for each request would cost 2 µs.
    childLoggerFactory: (log) => log,
    bodyLimit: BODY_BYTES_MAX,
    trustProxy: services.trustProxy.length > 0 ? services.trustProxy : false,
    genReqId: requestIdOf,
    requestIdHeader: false,
    // Requests that arrive on open connections during the stop are served, not refused.
    return503OnClosing: false,
    forceCloseConnections: "idle",
    // Without them, Fastify would load its own compilers before prepareFramework sets ours.
    schemaController: { compilersFactory: { buildValidator: replaced, buildSerializer: replaced } },
    routerOptions: { maxParamLength: HEADER_BYTES_MAX },
    rewriteUrl,
    clientErrorHandler: answerClientError(services),
    frameworkErrors: (error, request, reply) => {
      answerError(error, request, reply);
    },
  };
}

export function prepareFramework(app: FastifyInstance): void {
  for (const method of http.METHODS) {
    // Fastify would answer methods that it does not know with its own error body.
    if (!app.supportedMethods.includes(method)) app.addHttpMethod(method, { hasBody: true });
  }
  app.setValidatorCompiler(compileValidator);
  app.setSerializerCompiler(compileSerializer);
  for (const name of ["route", "apiKey", "keyInQuery", "admission", "fingerprint", "upload", "isRecorded"])
    app.decorateRequest(name);
  app.addHook("onRequest", (request, _reply, done) => {
    request.route = request.routeOptions;
    done();
  });
}

function replaced(): never {
  throw new Error("prepareFramework sets the compilers of schemas");
}
