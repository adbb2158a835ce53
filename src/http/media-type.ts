// Bodies are JSON in UTF-8 as they stand: decided by the headers, before a byte of the body is read.

import type { FastifyRequest } from "fastify";
import { ServiceError } from "../domain/errors.ts";
import { isBodyOptional } from "./validation.ts";

const JSON_UTF8 = /^application\/json[ \t]*(?:;[ \t]*charset[ \t]*=[ \t]*"?utf-?8"?[ \t]*)?;?[ \t]*$/i;

/** Throws 415, or `invalid_json` where a body is needed and none comes. */
export function requireJson({ headers, routeOptions }: FastifyRequest): void {
  const hasBody = headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
  const type = headers["content-type"];
  const isJson = type === undefined ? !hasBody : JSON_UTF8.test(type);
  if (!isJson || headers["content-encoding"] !== undefined) throw new ServiceError("unsupported_media_type");
  if (!hasBody && !isBodyOptional(routeOptions.schema?.body)) throw new ServiceError("invalid_json");
}
