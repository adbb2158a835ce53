// The error for a body of another media type: what to send, and what was received.

import type { IncomingHttpHeaders } from "node:http";
import { ServiceError } from "../../domain/basics/errors.ts";
import { showText } from "../../tools/shown-text.ts";

/** `advice` says what to send. */
export function unsupportedType(headers: IncomingHttpHeaders, advice: string): ServiceError {
  const { "content-type": type, "content-encoding": encoding } = headers;
  const received = [
    type ? `Content-Type: ${showText(type)}` : "no Content-Type",
    ...(encoding === undefined ? [] : [`Content-Encoding: ${showText(encoding)}`]),
  ];
  return new ServiceError("unsupported_media_type", {
    message: `${advice} Received: ${received.join(", ")}.`,
  });
}
