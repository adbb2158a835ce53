// Request bodies: JSON in UTF-8 of limited size, with exact integers. Headers are checked before the first byte is read.

import { isUtf8 } from "node:buffer";
import { createHash } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type {
  FastifyInstance,
  FastifyRequest,
  preParsingHookHandler,
  preValidationHookHandler,
} from "fastify";
import { ERRORS, ServiceError } from "../../domain/basics/errors.ts";
import { BODY_BYTES_MAX } from "../../domain/basics/request-limits.ts";
import { describeJsonFault, EMPTY_BODY, NOT_UTF8, unsupportedType } from "./body-faults.ts";
import type { UploadTimes } from "./receive-body.ts";
import { checkUploadHeaders, createUploadReader, type ReadUpload } from "./upload.ts";
import { IMPORT_TYPES, readFileHeaders } from "./upload-file.ts";
import { isBodyOptional } from "./validation.ts";

/** Two adjacent runs of white space would make the pattern quadratic. */
const JSON_UTF8 =
  /^application\/json[ \t]*(?:;[ \t]*(?:charset[ \t]*=[ \t]*"?utf-?8"?[ \t]*(?:;[ \t]*)?)?)?$/i;

/** Methods whose body has no meaning (RFC 9110, 9.3): it is read and discarded. */
const BODY_IS_IGNORED = new Set(["GET", "HEAD", "DELETE"]);
const BODY_HEADERS = ["content-type", "content-length", "content-encoding", "transfer-encoding"];

/** Only texts with 16 digits in a row or an exponent can hold a number that a double does not represent exactly. */
const MAY_BE_INEXACT = /[0-9.]{16}|[0-9][eE]/;
/** Strings and numbers of valid JSON. */
const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|-?[0-9][0-9.eE+-]*/g;
const NUMBER = /^(-?)([0-9]+)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]+))?$/;
const DIGITS_MAX = 20;

/** Replaces Fastify's handling of bodies. */
export function handleBodies(app: FastifyInstance, times: UploadTimes): void {
  app.removeAllContentTypeParsers();
  // The handler receives the file.
  app.addContentTypeParser(Object.keys(IMPORT_TYPES), (_request, _payload, done) => done(null));
  app.addContentTypeParser("*", { parseAs: "buffer" }, (_request, bytes, done) => done(null, bytes));
  app.addHook("preParsing", startBody(createUploadReader(times)));
  app.addHook("preValidation", parseBody);
}

/** Runs after the key was checked: only now may the client send the body. */
const startBody =
  (readUpload: ReadUpload): preParsingHookHandler =>
  (request, reply, _payload, done) => {
    const upload = request.method === "POST" ? request.route.config.upload : undefined;
    if (upload === "image") checkUploadHeaders(request);
    else if (upload === "file") readFileHeaders(request);
    else checkBodyHeaders(request);
    if (request.headers.expect?.toLowerCase() === "100-continue") reply.raw.writeContinue();
    if (upload === "image")
      readUpload(request, reply, (error) => {
        hideBody(request.raw);
        done(error);
      });
    else if (BODY_IS_IGNORED.has(request.method)) discardBody(request.raw, done);
    else done();
  };

export function isJsonType(type = ""): boolean {
  return JSON_UTF8.test(type);
}

/** Throws 415, 413, or `invalid_json` where a body is required and missing. */
function checkBodyHeaders({ headers, method, route }: FastifyRequest): void {
  const length = Number(headers["content-length"] ?? 0);
  if (BODY_IS_IGNORED.has(method)) {
    if (length > BODY_BYTES_MAX) throw new ServiceError("body_too_large");
    return;
  }
  const hasBody = headers["transfer-encoding"] !== undefined || length > 0;
  const schema = route.schema?.body;
  // Fastify would refuse an unknown type even without a body; many clients send a type with every request.
  if (!hasBody && (schema === undefined || isBodyOptional(schema))) {
    delete headers["content-type"];
    return;
  }
  const isJson = isJsonType(headers["content-type"] ?? (hasBody ? "" : "application/json"));
  if (!isJson || headers["content-encoding"] !== undefined)
    throw unsupportedType(headers, ERRORS.unsupported_media_type.message);
  if (length > route.bodyLimit) throw new ServiceError("body_too_large");
  if (!hasBody) throw new ServiceError("invalid_json", { message: EMPTY_BODY });
}

/** `done` gets 413 for a body that is too long. */
function discardBody(raw: IncomingMessage, done: (error?: Error) => void): void {
  const { headers } = raw;
  const hasBody = headers["transfer-encoding"] !== undefined || headers["content-length"] !== undefined;
  hideBody(raw);
  if (!hasBody) {
    done();
    return;
  }
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

/** Afterwards Fastify finds no body. */
function hideBody({ headers }: IncomingMessage): void {
  for (const name of BODY_HEADERS) delete headers[name];
}

/** Not in the content type parser: after an error there, Fastify closes the connection. */
const parseBody: preValidationHookHandler = (request, _reply, done) => {
  const { body, method, headers, route, upload } = request;
  if (upload !== undefined) return done();
  const bytes = Buffer.isBuffer(body) ? body : undefined;
  if (method === "POST" && headers["idempotency-key"] !== undefined)
    request.fingerprint = createHash("sha256")
      .update(bytes ?? "")
      .digest();
  const schema = route.schema?.body;
  const isEmpty = bytes === undefined || (bytes.length === 0 && isBodyOptional(schema));
  // A body that the operation does not use is not parsed.
  request.body = schema === undefined || isEmpty ? undefined : parseJson(bytes);
  done();
};

/** Integers that a double cannot represent become bigint. Throws `invalid_json`. */
export function parseJson(bytes: Buffer): unknown {
  if (bytes.length === 0) throw new ServiceError("invalid_json", { message: EMPTY_BODY });
  if (!isUtf8(bytes)) throw new ServiceError("invalid_json", { message: NOT_UTF8 });
  const text = bytes.toString("utf8");
  try {
    const value = JSON.parse(text);
    return MAY_BE_INEXACT.test(text) ? parseExactly(text) : value;
  } catch (cause) {
    throw new ServiceError("invalid_json", { message: describeJsonFault(cause), cause });
  }
}

/**
 * Expects valid JSON. Replaces each number by its index in a list, parses, and puts the exact numbers back. A reviver
 * would be called recursively, and values that are nested 2,000 deep would overflow the stack.
 */
function parseExactly(text: string): unknown {
  const numbers: unknown[] = [];
  const numbered = text.replaceAll(TOKEN, (token) =>
    token.startsWith('"') ? token : String(numbers.push(readNumber(token)) - 1),
  );
  const root = { value: JSON.parse(numbered) };
  const open: Array<Record<string, unknown>> = [root];
  // Grows during the loop.
  for (const parent of open) {
    for (const [name, value] of Object.entries(parent)) {
      if (typeof value === "number") parent[name] = numbers[value];
      else if (typeof value === "object" && value !== null) open.push(value as Record<string, unknown>);
    }
  }
  return root.value;
}

function readNumber(source: string): unknown {
  const value = Number(source);
  const exact = exactInteger(source);
  // A fraction or a huge number that was rounded to an integer must not be accepted as one.
  if (exact === undefined) return Number.isInteger(value) ? Number.NaN : value;
  const small = Number(exact);
  return Number.isSafeInteger(small) ? small : exact;
}

/** Undefined for fractions, and for more digits than an int64 can have. */
function exactInteger(source: string): bigint | undefined {
  const [, sign = "", whole = "", fraction = "", exponent = "0"] = NUMBER.exec(source) ?? [];
  const significant = (whole + fraction).replace(/^0+/, "");
  const digits = withoutTrailingZeros(significant);
  if (digits === "") return 0n;
  const zeros = Number(exponent) - fraction.length + (significant.length - digits.length);
  if (zeros < 0 || digits.length + zeros > DIGITS_MAX) return undefined;
  return BigInt(sign + digits + "0".repeat(zeros));
}

/** Not by /0+$/, which restarts at each zero: quadratic for a number with many zeros inside. */
function withoutTrailingZeros(digits: string): string {
  let end = digits.length;
  while (digits[end - 1] === "0") end -= 1;
  return digits.slice(0, end);
}
