// The headers that the client reads: Link, Retry-After, rate limits.

import assert from "node:assert/strict";
import { test } from "node:test";
import { readRetryAfter } from "../../../client/src/answer.ts";
import { findLink, nextCursor } from "../../../client/src/link.ts";
import { readRate } from "../../../client/src/rate.ts";

test("finds links by relation, in every form that RFC 8288 allows", () => {
  const found: Record<string, string> = {
    '<https://a/?cursor=x>; rel="next", <https://a/>; rel="first"': "https://a/?cursor=x",
    "<https://a/>; rel=first, <https://b/>; rel=next": "https://b/",
    '<https://a/?q=1,2;3>;title="a, <b>; rel=\\"next\\"" ; REL="prev next"': "https://a/?q=1,2;3",
    '<https://a/>;rel="first",<https://b/>;crossorigin;rel=next': "https://b/",
  };
  for (const [header, target] of Object.entries(found))
    assert.equal(findLink(header, "next"), target, header);
});

test("finds no link where no link has the relation", () => {
  for (const header of [null, "", '<https://a/>; rel="nextish"', '<https://a/>; title="next"', "next"])
    assert.equal(findLink(header, "next"), undefined, `${header}`);
});

test("reads the cursor from the address of the next page", () => {
  assert.equal(nextCursor('<https://a/v1/pets?limit=2&cursor=a%2Bb%3D>; rel="next"'), "a+b=");
  assert.equal(nextCursor('</v1/pets?cursor=abc#x>; rel="next"'), "abc");
  assert.equal(nextCursor('<https://a/v1/pets?limit=2>; rel="first"'), undefined);
});

test("reads Retry-After in seconds or as a date", () => {
  const nowMs = Date.UTC(2027, 0, 1);
  const read: Array<[string | null, number | undefined]> = [
    ["42", 42],
    ["0", 0],
    ["Fri, 01 Jan 2027 00:00:30 GMT", 30],
    ["Thu, 31 Dec 2026 00:00:00 GMT", 0],
    ["soon", undefined],
    [null, undefined],
  ];
  for (const [header, seconds] of read) assert.equal(readRetryAfter(header, nowMs), seconds, `${header}`);
});

test("reads the rate limits with all their windows", () => {
  const headers = new Headers({
    "x-ratelimit-limit": "60",
    "x-ratelimit-remaining": "59",
    "x-ratelimit-reset": "1798761642",
    "ratelimit-policy": '"minute";q=60;w=60, "day";q=1000;w=86400',
    ratelimit: '"minute";r=59;t=42, "day";r=999;t=86012',
  });
  const nowMs = 1_798_761_600_000;
  assert.deepEqual(readRate(headers, nowMs), {
    limit: 60,
    remaining: 59,
    resetAt: new Date(1_798_761_642_000),
    windows: [
      { name: "minute", seconds: 60, limit: 60, remaining: 59, resetAt: new Date(nowMs + 42_000) },
      { name: "day", seconds: 86400, limit: 1000, remaining: 999, resetAt: new Date(nowMs + 86_012_000) },
    ],
  });
  assert.equal(readRate(new Headers(), nowMs), undefined);
});
