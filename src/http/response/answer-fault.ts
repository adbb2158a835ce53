// The last resort for a request that broke outside the framework: 500 for this one, whatever becomes of the others.

import { ServiceError } from "../../domain/errors.ts";
import type { Arrival } from "../list-pets/arrivals.ts";
import type { HttpServices } from "../services.ts";
import { requestIdOf } from "./common-headers.ts";
import { createErrorHeaders } from "./error-headers.ts";

export function createFaultAnswer(services: Pick<HttpServices, "gate" | "log" | "corsOrigins">) {
  const errorHeaders = createErrorHeaders(services);

  return ({ request, response }: Arrival, fault: unknown): void => {
    const requestId = requestIdOf(request);
    services.log.error({ reqId: requestId, err: fault }, "a request failed outside the framework");
    // A response that was begun cannot become another one.
    if (response.headersSent) {
      response.destroy();
      return;
    }
    const text = JSON.stringify(new ServiceError("internal_error").body);
    const { origin } = request.headers;
    response.writeHead(500, errorHeaders(text, { requestId, origin, address: request.socket.remoteAddress }));
    response.end(text);
  };
}
