// Faults of bodies: where one stops being JSON, as far as the runtime's parser reports it, and a wrong media type.

import type { IncomingHttpHeaders } from "node:http";
import { ERRORS, ServiceError } from "../../domain/basics/errors.ts";
import { showText } from "../../tools/shown-text.ts";

export const EMPTY_BODY = "The body is empty; it must be a JSON value in UTF-8.";
export const NOT_UTF8 = `${ERRORS.invalid_json.message} It has bytes that are not UTF-8.`;

/** Messages of V8. The first has only V8's own words; the second quotes the body, from which one character is kept. */
const POSITION =
  /^([A-Za-z',:}\] -]{1,80}) (?:in|after) JSON at position \d{1,9} \(line (\d{1,9}) column (\d{1,9})\)$/;
const TOKEN = /^Unexpected token '(.{1,2})', /s;
const END = "Unexpected end of JSON input";

/** `error` is what JSON.parse threw. An unknown message adds nothing. */
export function describeJsonFault(error: unknown): string {
  const { message } = error as Error;
  const general = ERRORS.invalid_json.message;
  const [, fault, line, column] = POSITION.exec(message) ?? [];
  if (fault !== undefined) return `${general} Line ${line}, column ${column}: ${fault}.`;
  const [, token] = TOKEN.exec(message) ?? [];
  // V8 quotes only the first unit of a character that has two.
  if (token?.isWellFormed()) return `${general} Unexpected character: ${showText(token)}.`;
  return message === END ? `${general} It ends too early.` : general;
}

/** The error for a body of another media type. `advice` says what to send. */
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
