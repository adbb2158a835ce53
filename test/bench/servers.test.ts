// The benchmarks with servers: durable PostgreSQL, and a bare server that sends the bytes of the service.

import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { startBare } from "../../bench/contenders/bare.ts";
import { describeTarget } from "../../bench/contenders/contender.ts";
import { findDifference, type Recording } from "../../bench/contenders/recording.ts";
import { startService } from "../../bench/contenders/service.ts";
import { startDurablePostgres } from "../../bench/data/postgres.ts";
import { createStores } from "../../bench/data/stores.ts";
import { checkResponse } from "../../bench/load/check.ts";
import { type Request, sampleRequests } from "../../bench/load/requests.ts";
import { KINDS, WORKLOAD_NAMES } from "../../bench/load/workloads.ts";
import { openScope, type Scope } from "../../bench/scope.ts";

const ANIMALS = 100;

function makeScope(t: TestContext): Scope {
  const scope = openScope();
  t.after(() => scope.close());
  return scope;
}

test("PostgreSQL of the benchmarks runs with fsync", async (t) => {
  const server = await startDurablePostgres(makeScope(t));
  for (const setting of ["fsync", "synchronous_commit", "full_page_writes"]) {
    const { rows } = await server.admin(`SHOW ${setting}`);
    assert.deepEqual(rows, [{ [setting]: "on" }]);
  }
});

test("The bare server and the service", async (t) => {
  const site = { scope: makeScope(t), cores: undefined };
  const service = await startService(site, await createStores(site.scope).get("embedded", ANIMALS));
  const { key } = service;
  const bare = await startBare(site, service, ANIMALS);
  const target = await describeTarget(service, ANIMALS);
  const requests = new Map<string, Request>(
    WORKLOAD_NAMES.flatMap((name) => sampleRequests(name, target)).map((each) => [each.kind, each]),
  );
  assert.deepEqual([...requests.keys()].toSorted(), KINDS.toSorted());

  for (const [kind, request] of requests)
    await t.test(`both pass the check of the response: ${kind}`, async () => {
      for (const { url } of [service.server, bare.server]) await checkResponse(url, key, request);
    });

  const wrong: Record<string, Partial<Request>> = {
    "200 where 304 is expected": { kind: "unchanged", headers: { "If-None-Match": '"other"' } },
    "no CORS header where one is expected": { kind: "origin" },
    "401 instead of a page": { kind: "hot", headers: { Authorization: "Bearer none" } },
    "an animal instead of a page": { kind: "cold", path: "/v1/pets/1" },
    "200 instead of 201": { kind: "create", path: "/v1/pets/1" },
  };
  for (const [what, more] of Object.entries(wrong))
    await t.test(`the check rejects ${what}`, async () => {
      const request: Request = { kind: "hot", method: "GET", path: target.addresses.firstPage, ...more };
      await assert.rejects(checkResponse(service.server.url, key, request), / returned /);
    });
});

const RECORDED: Recording = {
  status: 200,
  headers: { etag: '"1"', "content-length": "2" },
  body: "[]",
  nodeHeaders: ["connection: keep-alive", "date"],
};
const differences: Record<string, [Partial<Recording>, string]> = {
  "a status": [{ status: 304 }, "status 304 instead of 200"],
  "the value of a header": [
    { headers: { etag: '"2"', "content-length": "2" } },
    'header etag: "2" instead of "1"',
  ],
  "a missing header": [{ headers: { etag: '"1"' } }, "header content-length: undefined instead of 2"],
  "another header": [{ headers: { ...RECORDED.headers, vary: "x" } }, "header vary: x instead of undefined"],
  "a header of Node": [
    { nodeHeaders: ["date"] },
    "headers of Node: date instead of connection: keep-alive,date",
  ],
  "one byte of the body": [{ body: "[ " }, "another body"],
};
for (const [what, [changed, difference]] of Object.entries(differences))
  test(`the comparison with the bare server finds ${what}`, () => {
    assert.equal(findDifference(RECORDED, { ...RECORDED, ...changed }), difference);
    assert.equal(findDifference(RECORDED, { ...RECORDED }), undefined);
  });
