// Says in plain words why an attempt got no response.

import { ServiceError } from "../domain/errors.ts";
import { escapeUnsafe } from "../tools/shown-text.ts";

const LENGTH_MAX = 200;

const REASONS: Record<string, string> = {
  ENOTFOUND: "The host name has no address.",
  EAI_AGAIN: "The look-up of the host name failed.",
  ECONNREFUSED: "The connection was refused.",
  ECONNRESET: "The connection was closed before a response.",
  EPIPE: "The connection was closed before a response.",
  ETIMEDOUT: "The host did not answer.",
  EHOSTUNREACH: "The host cannot be reached.",
  ENETUNREACH: "The network of the host cannot be reached.",
  HPE_HEADER_OVERFLOW: "The headers of the response are too large.",
};

/** Certificates and responses are foreign text: messages of Node that quote them are not shown. */
export function describeFailure(failure: unknown): string {
  if (failure instanceof ServiceError) return failure.message;
  const { code, message } = findCause(failure as NodeJS.ErrnoException);
  if (code === undefined) return escapeUnsafe(message).slice(0, LENGTH_MAX);
  const reason = REASONS[code];
  if (reason !== undefined) return reason;
  if (code.startsWith("HPE_")) return `The response is not valid HTTP (${code}).`;
  if (isTlsCode(code)) return `The TLS connection failed (${code}).`;
  return `The request failed (${code}).`;
}

/** With several addresses, Node reports all failures in one error. */
function findCause(failure: NodeJS.ErrnoException): NodeJS.ErrnoException {
  return failure instanceof AggregateError && failure.errors.length > 0 ? failure.errors.at(-1) : failure;
}

function isTlsCode(code: string): boolean {
  return ["CERT", "_TLS_", "_SSL_", "SIGNATURE", "ISSUER", "CRL"].some((part) => code.includes(part));
}
