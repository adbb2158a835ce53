// Writes the responses to plain requests, and records them.

import type { Admission } from "../../domain/keys/admission.ts";
import { CACHED_BEARER, CACHED_IN_QUERY, keepKey } from "../admission/visitors.ts";
import {
  allowedOrigin,
  EXPOSED_HEADERS,
  FIXED_HEADERS,
  JSON_TYPE,
  rateHeaders,
  requestIdOf,
} from "../headers/common-headers.ts";
import { deprecationHeaders } from "../headers/deprecation-headers.ts";
import { headerLines, writeHead } from "../headers/write-head.ts";
import { pathWithQueryOf } from "../observe/logged-path.ts";
import type { RecordAnswer } from "../observe/request-log.ts";
import { matchesEtag } from "../pages/etag.ts";
import type { HttpServices } from "../services.ts";
import type { PlainContent, PlainRequest } from "./plain-request.ts";

const FIXED = headerLines(FIXED_HEADERS);
const FIXED_IN_QUERY = headerLines({ ...FIXED_HEADERS, ...CACHED_IN_QUERY });
const FIXED_BEARER = headerLines({ ...FIXED_HEADERS, ...CACHED_BEARER });
const EXPOSED = headerLines({ "access-control-expose-headers": EXPOSED_HEADERS });
const CONTENT_TYPE = headerLines({ "content-type": JSON_TYPE });

export type ResponseServices = Pick<
  HttpServices,
  "corsOrigins" | "getPetDeprecatedMs" | "logsPaths" | "metrics" | "publicUrl"
>;

export interface ResponseParts {
  record: RecordAnswer;
}

export function createPlainResponses(services: ResponseServices, parts: ResponseParts) {
  const { corsOrigins, logsPaths, metrics } = services;

  /** The header lines that do not depend on the content, in the order of the framework. */
  function headersOf(plain: PlainRequest): string {
    const { request, requestId, admission } = plain.pending;
    const { route, key } = plain;
    // The origin of a visitor was checked.
    const visitorOrigin = key.kind === "publishable" ? request.headers.origin : undefined;
    const origin = allowedOrigin(request.headers.origin, corsOrigins) ?? visitorOrigin;
    const cors = origin === undefined ? "" : `access-control-allow-origin: ${origin}\r\n${EXPOSED}`;
    const removal = route.isDeprecated ? headerLines(deprecationHeaders(services)) : "";
    const rate = headerLines(rateHeaders(admission as Admission));
    return `${fixedOf(plain)}x-request-id: ${requestId}\r\n${cors}${removal}${rate}`;
  }

  return {
    send(plain: PlainRequest): true {
      const { request, response } = plain.pending;
      const { body, bytes, link, location, etag } = plain.content as PlainContent;
      plain.pending.requestId = requestIdOf(request);
      const isKnown = etag !== undefined && matchesEtag(request.headers["if-none-match"], etag);
      const { keyInQuery } = plain.operation;
      const shownLink = link !== undefined && keyInQuery !== undefined ? keepKey(link, keyInQuery) : link;
      const lines = `${headersOf(plain)}${line("link", shownLink)}${line("location", location)}${isKnown ? "" : CONTENT_TYPE}${line("etag", etag)}`;
      const status = isKnown ? 304 : location === undefined ? 200 : 201;
      writeHead(response, status, lines, isKnown ? undefined : bytes);
      response.end(isKnown ? undefined : body);
      return true;
    },

    record({ pending, operation, route, key }: PlainRequest, endMs: number): true {
      const { request, requestId, startMs, response } = pending;
      metrics.countDecision("key", "admitted");
      parts.record({
        requestId,
        method: request.method as string,
        operation: operation.name,
        key,
        path: logsPaths ? pathWithQueryOf(request.url ?? "", route.schema) : undefined,
        status: response.statusCode,
        ms: endMs - startMs,
      });
      return true;
    },
  };
}

function fixedOf({ operation, key }: PlainRequest): string {
  if (key.kind !== "publishable") return FIXED;
  return operation.keyInQuery === undefined ? FIXED_BEARER : FIXED_IN_QUERY;
}

function line(name: string, value: string | undefined): string {
  return value === undefined ? "" : `${name}: ${value}\r\n`;
}
