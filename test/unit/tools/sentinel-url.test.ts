// The address of a Redis with Sentinels: every part is read, and what is not such an address is refused.

import assert from "node:assert/strict";
import { test } from "node:test";
import { parseSentinelUrl } from "../../../src/tools/sentinel-url.ts";

const PLAIN = {
  sentinels: ["a:26379"],
  master: "animals",
  user: undefined,
  password: undefined,
  db: 0,
  isTls: false,
};

test("every part of the address is read", () => {
  const cases: Record<string, object> = {
    "redis+sentinel://a/animals": {},
    "redis+sentinel://a:1,b,10.0.0.1:65535/animals": { sentinels: ["a:1", "b:26379", "10.0.0.1:65535"] },
    "redis+sentinel://[::1],[fd00::1]:7/animals": { sentinels: ["[::1]:26379", "[fd00::1]:7"] },
    "redis+sentinel://:secret@a/animals": { password: "secret" },
    "redis+sentinel://store:s%40e%3Ac,r%2Fet%25@a/animals": { user: "store", password: "s@e:c,r/et%" },
    "redis+sentinel://store:a:b@a/animals": { user: "store", password: "a:b" },
    "redis+sentinel://a/my.animals_2-x/15": { master: "my.animals_2-x", db: 15 },
    "rediss+sentinel://a/animals": { isTls: true },
  };
  for (const [text, expected] of Object.entries(cases))
    assert.deepEqual(parseSentinelUrl(text), { ...PLAIN, ...expected }, text);
});

test("what has another form is refused", () => {
  const rests = [
    "a",
    "a/",
    "/animals",
    "a//animals",
    ",a/animals",
    "a,/animals",
    "a,b:1,a:26379/animals",
    `${Array.from({ length: 11 }, (_, index) => `a${index}`).join(",")}/animals`,
    "a:0/animals",
    "a:65536/animals",
    "a:x/animals",
    "a b/animals",
    "::1/animals",
    "[a]/animals",
    "a/animals/x",
    "a/animals/1/2",
    "a/animals/-1",
    "a/ani mals",
    "a/animals?x=1",
    "a/animals#x",
    "store@a/animals",
    "store:@a/animals",
    "store:%zz@a/animals",
    "store:a@b@c/animals",
    "store:a/b@c/animals",
  ];
  for (const rest of rests) assert.equal(parseSentinelUrl(`redis+sentinel://${rest}`), undefined, rest);
  for (const scheme of ["redis", "sentinel", "redis+sentinels", "REDIS+SENTINEL", " redis+sentinel"])
    assert.equal(parseSentinelUrl(`${scheme}://a/animals`), undefined, scheme);
});
