// The benchmarks with servers: durable PostgreSQL, good responses of every workload, and a bare server with the same bytes.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { createStores, startDurablePostgres } from "../../../bench/data/stores.ts";
import { checkResponses, writeRequests } from "../../../bench/load/requests.ts";
import { startBare } from "../../../bench/servers/references.ts";
import { startNode } from "../../../bench/servers/service.ts";
import { getWorkload, type Kind, WORKLOADS } from "../../../bench/workloads.ts";
import { makeFolder } from "../../harness/runner/folder.ts";

const ANIMALS = 1_000;

test("PostgreSQL of the benchmarks runs with fsync", async (t) => {
  const server = await startDurablePostgres(t);
  for (const setting of ["fsync", "synchronous_commit", "full_page_writes"]) {
    const { rows } = await server.admin(`SHOW ${setting}`);
    assert.deepEqual(rows, [{ [setting]: "on" }]);
  }
});

test("A node of the benchmarks and its bare server", async (t) => {
  const folder = makeFolder(t);
  const site = { t, folder, cores: undefined };
  const store = await createStores(t, folder, "embedded").create(ANIMALS);
  const node = await startNode(site, store, ANIMALS);

  for (const workload of WORKLOADS)
    await t.test(`the node passes the check of every response: ${workload.name}`, async () => {
      for (let i = 0; i < 5; i++) await checkResponses(workload, node);
    });

  const onNode = WORKLOADS.filter(({ setting }) => setting === "node");
  for (const workload of onNode)
    await t.test(`the bare server sends the same bytes and passes too: ${workload.name}`, async () => {
      const bare = await startBare(site, node, workload);
      assert.notEqual(bare.url, node.url);
      await checkResponses(workload, bare);
    });

  const wrong: Record<string, { workload: string; build: Kind["build"] }> = {
    "200 where 304 is expected": { workload: "unchanged-list", build: () => "/v1/pets?status=available" },
    "no CORS header where one is expected": {
      workload: "origin-list",
      build: () => "/v1/pets?status=available",
    },
    "401 instead of a page": {
      workload: "hot-list",
      build: () => ({ path: "/v1/pets?status=available", headers: { Authorization: "Bearer none" } }),
    },
    "an animal instead of a page": { workload: "cold-list", build: () => "/v1/pets/1" },
    "a page that is not full": { workload: "rare-word", build: () => "/v1/listings?q=friendly&limit=9" },
    "200 instead of 201": { workload: "create", build: () => "/v1/pets/1" },
  };
  for (const [what, { workload, build }] of Object.entries(wrong))
    await t.test(`the check rejects ${what}`, async () => {
      const { kinds, ...rest } = getWorkload(workload);
      const [{ isGood }] = kinds as [Kind];
      await assert.rejects(checkResponses({ ...rest, kinds: [{ isGood, build }] }, node), / returned /);
    });

  await t.test("the check rejects a node that is not ready", async () => {
    const degraded = { ...node, checkHealth: () => Promise.reject(new Error("/readyz says degraded")) };
    await assert.rejects(checkResponses(getWorkload("hot-list"), degraded), /degraded/);
  });

  await t.test("the file for wrk has the kinds of the mix in their shares", async () => {
    const file = join(folder, "requests.txt");
    await writeRequests(file, getWorkload("mix"), node);
    const lines = readFileSync(file, "utf8").split("\n").slice(0, -1);
    const share = (pattern: RegExp) => lines.filter((line) => pattern.test(line)).length / lines.length;
    const shares = [
      /^GET \/v1\/pets\?status=available\t$/,
      /^GET \/v1\/pets\/\d+\t$/,
      /^POST \/v1\/pets\t\{/,
    ];
    assert.deepEqual(shares.map(share), [0.9, 0.08, 0.02]);
    assert.ok(new Set(lines).size > 500, "another animal with every request");
  });
});
