// Headers of an Error body that is written without the framework.

import { budgetAddress } from "../request/client-address.ts";
import type { HttpServices } from "../services.ts";
import { commonHeaders, type Headers, JSON_TYPE } from "./common-headers.ts";
import { rateHeaders } from "./rate-headers.ts";

interface Sender {
  requestId: string;
  origin: string | undefined;
  /** Of the socket; undefined where the client is gone. */
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
