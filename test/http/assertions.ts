// Assertions for every response: Error bodies and common headers.

import assert from "node:assert/strict";
import { ERRORS, type ErrorCode } from "../../src/domain/basics/errors.ts";
import type { Answer } from "../harness/clients/call.ts";
import type { RawAnswer } from "../harness/clients/socket.ts";

/** An Error body with exactly three members, and the headers of every /v1 response. */
export function assertError(answer: Answer, code: ErrorCode, message?: RegExp | string): void {
  assert.equal(answer.json.code, code, answer.text);
  assert.deepEqual(Object.keys(answer.json), ["code", "message", "status"]);
  assert.equal(answer.json.status, ERRORS[code].status);
  assert.equal(answer.status, ERRORS[code].status);
  if (message instanceof RegExp) assert.match(answer.json.message, message);
  else if (message !== undefined) assert.equal(answer.json.message, message);
  assertCommon(answer);
}

export function assertCommon(answer: Answer): void {
  const { headers } = answer;
  if (answer.status !== 204 && answer.status !== 304) {
    assert.equal(headers["content-type"], "application/json; charset=utf-8");
  }
  assert.equal(headers["cache-control"], "private, no-cache");
  assert.equal(headers["x-content-type-options"], "nosniff");
  assert.match(headers["x-request-id"] ?? "", /^[A-Za-z0-9._-]{1,128}$/);
  assert.match(headers["x-ratelimit-limit"] ?? "", /^\d+$/);
  assert.match(headers["x-ratelimit-remaining"] ?? "", /^\d+$/);
  assert.match(headers["x-ratelimit-reset"] ?? "", /^\d{10}$/);
  assert.match(headers["ratelimit-policy"] ?? "", /^"minute";q=\d+;w=60(, "day";q=\d+;w=86400)?$/);
  assert.match(headers.ratelimit ?? "", /^"minute";r=\d+;t=\d+(, "day";r=\d+;t=\d+)?$/);
}

/** The response to a request that is not valid HTTP. */
export function assertRawError(
  { status: given, headers, body }: RawAnswer,
  status: number,
  code: string,
): void {
  assert.equal(given, status);
  const { message, ...rest } = JSON.parse(body);
  assert.deepEqual(rest, { code, status });
  assert.equal(typeof message, "string");
  assert.equal(headers["content-type"], "application/json; charset=utf-8");
  assert.equal(headers["cache-control"], "private, no-cache");
  assert.equal(headers["x-content-type-options"], "nosniff");
  assert.equal(headers.connection, "close");
  assert.match(headers["x-request-id"] ?? "", /^[A-Za-z0-9._-]{1,128}$/);
  for (const name of ["limit", "remaining", "reset"]) {
    assert.match(headers[`x-ratelimit-${name}`] ?? "", /^\d+$/);
  }
}
