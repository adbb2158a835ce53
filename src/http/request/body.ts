// Bodies are JSON in UTF-8, as they stand and of bounded size: decided by the headers, before a byte of one is read.

import type { IncomingMessage } from "node:http";
import type { FastifyRequest } from "fastify";
import { ServiceError } from "../../domain/errors.ts";
import { BODY_BYTES_MAX } from "../../domain/request-limits.ts";
import { parseJson } from "./json.ts";
import { isBodyOptional } from "./validation.ts";

/** Two adjacent runs of white space would make the pattern quadratic. */
const JSON_UTF8 =
  /^application\/json[ \t]*(?:;[ \t]*(?:charset[ \t]*=[ \t]*"?utf-?8"?[ \t]*(?:;[ \t]*)?)?)?$/i;

/** Methods whose body means nothing (RFC 9110, 9.3): it is read past, whatever it is. */
const BODY_IS_IGNORED = new Set(["GET", "HEAD", "DELETE"]);
const BODY_HEADERS = ["content-type", "content-length", "content-encoding", "transfer-encoding"];

/** Throws 415, 413, or `invalid_json` where a body is needed and none comes. */
export function checkBody({ headers, method, route }: FastifyRequest): void {
  const length = Number(headers["content-length"] ?? 0);
  if (BODY_IS_IGNORED.has(method)) {
    if (length > BODY_BYTES_MAX) throw new ServiceError("body_too_large");
    return;
  }
  const hasBody = headers["transfer-encoding"] !== undefined || length > 0;
  const schema = route.schema?.body;
  // A type without a body is worth a word only where a body was expected; Fastify would look at it everywhere.
  if (!hasBody && (schema === undefined || isBodyOptional(schema))) {
    delete headers["content-type"];
    return;
  }
  const isJson = JSON_UTF8.test(headers["content-type"] ?? (hasBody ? "" : "application/json"));
  if (!isJson || headers["content-encoding"] !== undefined) throw new ServiceError("unsupported_media_type");
  if (length > BODY_BYTES_MAX) throw new ServiceError("body_too_large");
  if (!hasBody) throw new ServiceError("invalid_json");
}

/** Reads past a body that means nothing, so that the framework finds none. `done` gets 413 for one that is too long. */
export function skipIgnoredBody(request: FastifyRequest, done: (error?: Error) => void): void {
  const { headers, method } = request;
  if (!BODY_IS_IGNORED.has(method)) {
    done();
    return;
  }
  const hasBody = headers["transfer-encoding"] !== undefined || headers["content-length"] !== undefined;
  for (const name of BODY_HEADERS) delete headers[name];
  if (hasBody) skipBody(request.raw, done);
  else done();
}

function skipBody(raw: IncomingMessage, done: (error?: Error) => void): void {
  let bytes = 0;
  const count = (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > BODY_BYTES_MAX) end(new ServiceError("body_too_large"));
  };
  const end = (error?: Error) => {
    raw.off("data", count).off("end", end).off("error", end);
    done(error);
  };
  raw.on("data", count).on("end", end).on("error", end);
}

/** The body as JSON. What no operation asked for is not looked at; many clients name a type with every request. */
export function readBody({ body, route }: FastifyRequest): unknown {
  const schema = route.schema?.body;
  if (!Buffer.isBuffer(body) || schema === undefined) return undefined;
  return body.length === 0 && isBodyOptional(schema) ? undefined : parseJson(body);
}
