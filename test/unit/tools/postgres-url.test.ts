// Addresses of PostgreSQL with several servers, as libpq writes them.

import assert from "node:assert/strict";
import { test } from "node:test";
import { nameServer, PostgresUrlError, splitServers } from "../../../src/tools/postgres-url.ts";

const SECRET = "s3cret";

test("an address with one server stays as it is", () => {
  for (const url of [
    "postgres://db/animals",
    "postgresql://store:p%40ss,word@db:6432/animals?sslmode=verify-full",
    "postgres://[::1]:5433/animals",
    "postgres:///animals?host=/run/postgresql&user=store",
    "postgres://store@%2Frun%2Fpostgresql/animals",
    "postgres://db/animals?port=6432&options=-csearch_path%3Danimals",
  ])
    assert.deepEqual(splitServers(url), [url]);
});

const SEVERAL: Array<[text: string, urls: string[], names: string[]]> = [
  [
    `postgres://store:${SECRET}@a:5433,b:5434/animals?sslmode=no-verify`,
    [
      `postgres://store:${SECRET}@a:5433/animals?sslmode=no-verify`,
      `postgres://store:${SECRET}@b:5434/animals?sslmode=no-verify`,
    ],
    ["a:5433", "b:5434"],
  ],
  ["postgresql://a,b:5433", ["postgresql://a", "postgresql://b:5433"], ["a:5432", "b:5433"]],
  [
    "postgres://u:p,w@x@[::1]:5433,[2001:db8::2],c/animals",
    [
      "postgres://u:p,w@x@[::1]:5433/animals",
      "postgres://u:p,w@x@[2001:db8::2]/animals",
      "postgres://u:p,w@x@c/animals",
    ],
    ["[::1]:5433", "[2001:db8::2]:5432", "c:5432"],
  ],
  [
    "postgres://a,b/animals?port=6432",
    ["postgres://a/animals?port=6432", "postgres://b/animals?port=6432"],
    ["a:6432", "b:6432"],
  ],
  [
    "postgres:///animals?host=/run/one,b&port=5433,5434&user=store",
    [
      "postgres:///animals?host=%2Frun%2Fone&port=5433&user=store",
      "postgres:///animals?host=b&port=5434&user=store",
    ],
    ["/run/one:5433", "b:5434"],
  ],
  [
    "postgres://a,b/animals?target_session_attrs=read-write",
    [
      "postgres://a/animals?target_session_attrs=read-write",
      "postgres://b/animals?target_session_attrs=read-write",
    ],
    ["a:5432", "b:5432"],
  ],
];

test("each of several servers gets an address, with its own port or the common one", () => {
  for (const [text, urls, names] of SEVERAL) {
    assert.deepEqual(splitServers(text), urls);
    assert.deepEqual(urls.map(nameServer), names);
  }
});

const BAD: Record<string, RegExp> = {
  [`postgres://u:${SECRET}@a,,b/x`]: /must not have an empty host/,
  [`postgres://u:${SECRET}@a,/x`]: /must not have an empty host/,
  [`postgres://u:${SECRET}@a:1,b:99999/x`]: /HOST:PORT,HOST:PORT/,
  [`postgres://u:${SECRET}@a:1,b:one/x`]: /HOST:PORT,HOST:PORT/,
  [`postgres://u:${SECRET}@a:5432,A:5432,a/x`]: /each server once/,
  [`postgres://u:${SECRET}@a,b,c/x?port=1,2`]: /one port, or one for each host: it has 3 and 2/,
  [`postgres://u:${SECRET}@a,b/x?port=one`]: /a number as each port/,
  [`postgres://u:${SECRET}@a,b/x?target_session_attrs=prefer-standby`]: /must not ask for a standby/,
  [`postgres://u:${SECRET}@${Array.from({ length: 11 }, (_, i) => `h${i}`).join(",")}/x`]:
    /at most 10 servers/,
  [`postgres://u:${SECRET}@a b/x`]: /must be postgres:\/\//,
};

test("an address that cannot be used is refused without showing the password", () => {
  for (const [url, message] of Object.entries(BAD))
    assert.throws(
      () => splitServers(url),
      (error) =>
        error instanceof PostgresUrlError && message.test(error.message) && !error.message.includes(SECRET),
      url,
    );
});
