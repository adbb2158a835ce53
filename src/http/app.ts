// The table of contents of the API: every route, every hook, in the order of a request.

import { METHODS, type RequestListener, type Server } from "node:http";
import type { TypeBoxTypeProvider } from "@fastify/type-provider-typebox";
import Fastify, {
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type onRequestHookHandler,
} from "fastify";
import { GET_PET_SUNSET_MS } from "../domain/deprecation.ts";
import { ServiceError } from "../domain/errors.ts";
import { type Arrival, arrivedAtMs, createArrivals, type ServeArrivals } from "./list-pets/arrivals.ts";
import { createDirectList } from "./list-pets/direct-list.ts";
import { createPetPages } from "./list-pets/pet-pages.ts";
import { createRecord, recordReply } from "./observe/request-log.ts";
import { createTraffic } from "./observe/traffic.ts";
import { collectOperations } from "./openapi/operations.ts";
import { admitCaller, requireAccess } from "./request/authenticate.ts";
import { checkBody, readBody, skipIgnoredBody } from "./request/body.ts";
import { addressOf } from "./request/client-address.ts";
import { findFormFault } from "./request/request-form.ts";
import { watchPaths } from "./request/unknown-routes.ts";
import { compileValidator } from "./request/validation.ts";
import { answerError, endConnection } from "./response/answer-error.ts";
import { commonHeaders, PREFLIGHT_HEADERS } from "./response/common-headers.ts";
import { deprecationHeaders } from "./response/deprecation.ts";
import { answerConditionally } from "./response/etag.ts";
import { fingerprintBody } from "./response/idempotent-posts.ts";
import { rateHeaders } from "./response/rate-headers.ts";
import { categoryRoutes } from "./routes/categories.ts";
import { consoleRoutes } from "./routes/console.ts";
import { documentRoutes } from "./routes/documents.ts";
import { healthRoutes } from "./routes/health.ts";
import { keyRoutes } from "./routes/keys.ts";
import { metricsRoutes } from "./routes/metrics.ts";
import { orderRoutes } from "./routes/orders.ts";
import { petRoutes } from "./routes/pets.ts";
import { trafficRoutes } from "./routes/traffic.ts";
import { usageRoutes } from "./routes/usage.ts";
import { boundConnections, endStalledConnections } from "./server/connections.ts";
import { createDrain, createHold, type Hold } from "./server/drain.ts";
import { lingerOnClose } from "./server/lingering-close.ts";
import { serverOptions } from "./server/options.ts";
import { addUnanswered, boundPipeline, findNewestResponse, isPipelineEnding } from "./server/pipelines.ts";
import type { HttpServices } from "./services.ts";

const API_PATH = /^\/v1(?=[/?]|$)/;

export async function buildApp(services: HttpServices): Promise<FastifyInstance> {
  const pages = createPetPages(services);
  const traffic = createTraffic(services.clock);
  const record = createRecord({ ...services, traffic });
  const app = Fastify(serverOptions(services)).withTypeProvider<TypeBoxTypeProvider>();
  prepareServer(app);
  boundConnections(app.server, services);
  endStalledConnections(app.server, services);
  const hold = takeArrivals(app.server, (framework) =>
    createDirectList({ ...services, pages, record }, framework),
  );
  app.addHook("preClose", createDrain(app.server, hold));
  app.setErrorHandler(answerError);
  app.setValidatorCompiler(compileValidator);
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", { parseAs: "buffer" }, (_request, bytes, done) => done(null, bytes));
  for (const name of ["route", "apiKey", "admission", "fingerprint"]) app.decorateRequest(name);
  const { refuseUnknown } = watchPaths(app);
  const operations = collectOperations(app);

  /** What is asked of a request once its key is known, and before its body is read. */
  function checkOperation(request: FastifyRequest, reply: FastifyReply): void {
    refuseUnknown(request, reply);
    const { access = "admin", deprecated } = request.route.config;
    if (request.apiKey !== undefined) requireAccess(request.apiKey, access, reply);
    if (deprecated && services.clock.nowMs() >= GET_PET_SUNSET_MS)
      throw new ServiceError("operation_removed");
    checkBody(request);
  }

  const admit = admitCaller(services);
  /** The key, its limits and its access, for all operations and the metrics. */
  const guard: onRequestHookHandler = (request, reply, done) => {
    if (request.route.config.deprecated) reply.headers(deprecationHeaders(services));
    const waiting = admit(request, reply);
    if (waiting === undefined) {
      checkOperation(request, reply);
      done();
    } else waiting.then(() => checkOperation(request, reply)).then(() => done(), done);
  };

  // Hooks call back instead of giving promises: of the eight that a request passes, each promise would cost 1 to 2 µs.
  app.addHook("onRequest", (request, reply, done) => {
    const { origin } = request.headers;
    request.route = request.routeOptions;
    reply.headers(commonHeaders(request.id, origin, services.corsOrigins));
    // A response before the newest one must not end the connection: those behind it would be lost.
    if (services.isStopping() && findNewestResponse(request.socket) === reply.raw)
      endConnection(request, reply);
    const fault = findFormFault(request.raw);
    if (fault !== undefined) {
      // It is not certain where the next request begins: nothing behind this one is served.
      endConnection(request, reply);
      reply.headers(rateHeaders(services.gate.peekAnonymous(addressOf(request))));
      throw fault;
    }
    if (request.method === "OPTIONS") {
      reply.code(204).headers(PREFLIGHT_HEADERS).send();
      return;
    }
    if (!isApi(request)) refuseUnknown(request, reply);
    done();
  });
  app.addHook("preParsing", (request, reply, _payload, done) => {
    // The client is told to go on with the body only after its key has been checked.
    if (request.headers.expect?.toLowerCase() === "100-continue") reply.raw.writeContinue();
    skipIgnoredBody(request, done);
  });
  app.addHook("preValidation", (request, _reply, done) => {
    fingerprintBody(request);
    // Here and not in the content type parser, after whose errors Fastify closes the connection.
    request.body = readBody(request);
    done();
  });
  app.addHook("onSend", (request, reply, payload, done) => {
    // Where no key was looked at, the answer says how the address stands.
    if (request.admission === undefined && isApi(request))
      reply.headers(rateHeaders(services.gate.peekAnonymous(addressOf(request))));
    done(null, answerConditionally(request, reply, payload));
  });
  app.addHook("onResponse", (request, reply, done) => {
    recordReply(request, reply, record);
    done();
  });

  await app.register(consoleRoutes, services);
  await app.register(documentRoutes, { ...services, operations });
  await app.register(healthRoutes, services);
  await app.register(metricsRoutes, { ...services, guard });

  await app.register(
    async (api) => {
      api.addHook("onRequest", guard);
      api.setNotFoundHandler(answerNothing);

      await api.register(petRoutes, { ...services, pages });
      await api.register(orderRoutes, services);
      await api.register(categoryRoutes, services);
      await api.register(usageRoutes, services);
      await api.register(keyRoutes, services);
      await api.register(trafficRoutes, { traffic });
    },
    { prefix: "/v1" },
  );
  app.setNotFoundHandler(answerNothing);
  return app;
}

function isApi({ url }: FastifyRequest): boolean {
  return API_PATH.test(url);
}

function prepareServer(app: FastifyInstance): void {
  for (const method of METHODS) {
    // Otherwise Fastify answers a method it does not know in its own words.
    if (!app.supportedMethods.includes(method)) app.addHttpMethod(method, { hasBody: true });
  }
  const { server } = app;
  // The header block is bounded in bytes already; a bound in lines would drop what comes after it in silence.
  server.maxHeadersCount = 0;
  // A client that has closed its side still gets its answer; by itself Node would close ours at once.
  Object.assign(server, { httpAllowHalfOpen: true });
  server.on("connection", boundPipeline);
  server.on("connection", (socket) => lingerOnClose(socket, () => findNewestResponse(socket)?.req));
  // Tunnels are nothing we do; without a listener the connection would be closed without a word.
  server.on("connect", (_request, socket) => {
    // Node has taken its own listener off this socket, and an error without a listener ends the process.
    socket.on("error", () => socket.destroy());
    server.emit("clientError", new Error("CONNECT"), socket);
  });
  for (const event of ["checkContinue", "checkExpectation"]) {
    server.on(event, (request, response) => server.emit("request", request, response));
  }
}

/** `shortcut` sees every request first, and hands on to the framework what it does not answer. */
function takeArrivals(
  server: Server,
  shortcut: (framework: (arrival: Arrival) => void) => ServeArrivals,
): Hold {
  const [framework] = server.listeners("request") as [RequestListener];
  const serve = shortcut(({ request, response, startMs }) => {
    // An earlier request of the same tick may have been answered with the last response of the connection.
    if (isPipelineEnding(request.socket)) return;
    arrivedAtMs.set(request, startMs);
    framework(request, response);
  });
  const hold = createHold(createArrivals(serve));
  server.removeListener("request", framework).on("request", (request, response) => {
    if (isPipelineEnding(request.socket)) return;
    // At once: more requests, or bytes that are none, may follow in the same packet.
    addUnanswered(request.socket, response);
    hold.listener(request, response);
  });
  return hold;
}

/** Never reached: a hook has thrown for every request without a route. */
async function answerNothing(): Promise<never> {
  throw new ServiceError("route_not_found");
}
