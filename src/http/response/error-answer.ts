// Error bodies that are written without the framework.

import type { IncomingMessage, ServerResponse } from "node:http";
import { ServiceError } from "../../domain/errors.ts";
import { budgetAddress } from "../request/client-address.ts";
import type { HttpServices } from "../services.ts";
import { commonHeaders, type Headers, JSON_TYPE, requestIdOf } from "./common-headers.ts";
import { rateHeaders } from "./rate-headers.ts";

interface Sender {
  requestId: string;
  origin: string | undefined;
  /** Of the socket; undefined where the client has disconnected. */
  address: string | undefined;
}

export function createErrorHeaders({ gate, corsOrigins }: Pick<HttpServices, "gate" | "corsOrigins">) {
  return (text: string, { requestId, origin, address }: Sender): Headers => ({
    ...commonHeaders(requestId, origin, corsOrigins),
    ...rateHeaders(gate.peekAnonymous(budgetAddress(address, address))),
    "content-type": JSON_TYPE,
    "content-length": Buffer.byteLength(text),
  });
}

/** The last resort for a request that failed outside the framework: 500 for this request, no effect on others. */
export function createFaultAnswer(services: Pick<HttpServices, "gate" | "log" | "corsOrigins">) {
  const errorHeaders = createErrorHeaders(services);

  return (
    { request, response }: { request: IncomingMessage; response: ServerResponse },
    fault: unknown,
  ): void => {
    const requestId = requestIdOf(request);
    services.log.error({ reqId: requestId, err: fault }, "a request failed outside the framework");
    if (response.headersSent) {
      // A response that was begun cannot become another one; a complete one stays.
      if (!response.writableEnded) response.destroy();
      return;
    }
    const text = JSON.stringify(new ServiceError("internal_error").body);
    const { origin } = request.headers;
    response.writeHead(500, errorHeaders(text, { requestId, origin, address: request.socket.remoteAddress }));
    response.end(text);
  };
}
