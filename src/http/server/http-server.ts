// Node's HTTP server under the framework: its sizes and times, its connections, and its end.

import type { RequestListener, Server } from "node:http";
import { HEADER_BYTES_MAX } from "../../domain/basics/request-limits.ts";
import { http } from "../../tools/node-http.ts";
import type { HttpServices, ServerTimeouts } from "../services.ts";
import { endStalledConnections, limitConnections } from "./connections.ts";
import { createDrain } from "./drain.ts";
import { lingerOnClose } from "./lingering-close.ts";
import { createPendingRequests, type PendingRequests, type ServeRequests } from "./pending-requests.ts";
import { limitPipeline } from "./pipelines.ts";

export const TIMEOUTS: Required<ServerTimeouts> = {
  headersMs: 10_000,
  requestMs: 15_000,
  checkEveryMs: 2_000,
  stalledMs: 30_000,
};
/** Longer than the idle time of common load balancers, so that they close first. */
const KEEP_ALIVE_MS = 72_000;

type Services = Pick<HttpServices, "timeouts" | "log" | "connectionLimits" | "trustProxy" | "metrics">;

/** `serverFactory` is Fastify's option of that name; `drain` ends the server's connections. */
export function createServerFactory(
  services: Services,
  serve: (framework: RequestListener) => ServeRequests,
): { serverFactory: (framework: RequestListener) => Server; drain: () => Promise<void> } {
  let drain = async () => {};
  return {
    serverFactory(framework) {
      const requests = createPendingRequests(serve(framework));
      const server = createHttpServer(services, requests);
      drain = createDrain(server, requests);
      return server;
    },
    drain: () => drain(),
  };
}

function createHttpServer(services: Services, { listener }: PendingRequests): Server {
  const timeouts = { ...TIMEOUTS, ...services.timeouts };
  const server = http.createServer(
    {
      headersTimeout: timeouts.headersMs,
      requestTimeout: timeouts.requestMs,
      connectionsCheckingInterval: timeouts.checkEveryMs,
      keepAliveTimeout: KEEP_ALIVE_MS,
      maxHeaderSize: HEADER_BYTES_MAX,
      // Two Authorization headers become one that is no valid key, instead of the first of them.
      joinDuplicateHeaders: true,
      // Node would answer without a body; request-form.ts does it with an Error body.
      requireHostHeader: false,
      // An Upgrade header is ignored: Node would hand the socket to a listener that handles nothing, not even its errors.
      shouldUpgradeCallback: () => false,
    },
    listener,
  );
  // The header block is limited in bytes already; a limit in lines would drop the headers beyond it without an error.
  server.maxHeadersCount = 0;
  // A client that has closed its side still gets its response; by default Node would close ours at once.
  Object.assign(server, { httpAllowHalfOpen: true });
  server.on("connection", limitPipeline);
  server.on("connection", lingerOnClose);
  // CONNECT is not supported; without a listener Node would close the connection without a response.
  server.on("connect", (_request, socket) => {
    // Node has removed its own listener from this socket, and an error without a listener ends the process.
    socket.on("error", () => socket.destroy());
    server.emit("clientError", new Error("CONNECT"), socket);
  });
  for (const event of ["checkContinue", "checkExpectation"]) {
    server.on(event, (request, response) => server.emit("request", request, response));
  }
  limitConnections(server, services);
  endStalledConnections(server, { ...timeouts, log: services.log });
  return server;
}
