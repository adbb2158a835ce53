// Says in plain words why an attempt got no response.

import { ServiceError } from "../domain/basics/errors.ts";
import { type FailureCause, type FailureDetails, sayFailure } from "../domain/webhooks/delivery-failures.ts";
import { escapeUnsafe } from "../tools/shown-text.ts";

const LENGTH_MAX = 200;

const CAUSES: Record<string, FailureCause> = {
  ENOTFOUND: "name_without_address",
  EAI_AGAIN: "look_up_failed",
  ECONNREFUSED: "connection_refused",
  ECONNRESET: "connection_closed",
  EPIPE: "connection_closed",
  ETIMEDOUT: "host_silent",
  EHOSTUNREACH: "host_unreachable",
  ENETUNREACH: "network_unreachable",
  HPE_HEADER_OVERFLOW: "headers_too_large",
};

/** An attempt that failed for a cause that Node has no code for. */
export class AttemptError extends Error {
  constructor(cause: FailureCause, details?: FailureDetails) {
    super(sayFailure(cause, details));
  }
}

/** Certificates and responses are foreign text: messages of Node that quote them are not shown. */
export function describeFailure(failure: unknown): string {
  if (failure instanceof ServiceError || failure instanceof AttemptError) return failure.message;
  const { code, message } = findCause(failure as NodeJS.ErrnoException);
  if (code === undefined)
    return sayFailure("request_failed", { code: escapeUnsafe(message).slice(0, LENGTH_MAX) });
  const cause = CAUSES[code];
  if (cause !== undefined) return sayFailure(cause);
  if (code.startsWith("HPE_")) return sayFailure("response_not_http", { code });
  return sayFailure(isTlsCode(code) ? "tls_failed" : "request_failed", { code });
}

/** With several addresses, Node reports all failures in one error. */
function findCause(failure: NodeJS.ErrnoException): NodeJS.ErrnoException {
  return failure instanceof AggregateError && failure.errors.length > 0 ? failure.errors.at(-1) : failure;
}

function isTlsCode(code: string): boolean {
  return ["CERT", "_TLS_", "_SSL_", "SIGNATURE", "ISSUER", "CRL"].some((part) => code.includes(part));
}
