// Publishable keys on two nodes: the plan is exact, each node counts addresses, and both follow changes.

import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { countStatuses } from "../../harness/clients/call.ts";
import { freshEngines } from "../../harness/runner/combination.ts";
import { type LocalNode, startNode } from "../../harness/servers/node.ts";

const ORIGIN = "https://www.example.org";

test("Two nodes admit exactly the plan of a publishable key, and follow its changes", async (t) => {
  const environment = {
    ...(await freshEngines(t, "postgres+redis")),
    TRUST_PROXY: "127.0.0.0/8",
    CORS_ORIGINS: "https://console.example",
  };
  const nodes = [await startNode(t, environment), await startNode(t, environment)] as [LocalNode, LocalNode];
  const settings = { kind: "publishable", allowedOrigins: [ORIGIN], plan: "free" };
  const { id, key } = await nodes[0].createKey(settings);
  const visit = (node: LocalNode, address: string, origin = ORIGIN) =>
    node.call("GET", `/listings?key=${key}`, {
      key: undefined,
      headers: { origin, "x-forwarded-for": address },
    });

  await t.test("200 visitors at once get exactly 60 responses", async () => {
    const visits = Array.from({ length: 200 }, (_, i) => visit(nodes[i % 2] as LocalNode, `192.0.2.${i}`));
    assert.deepEqual(countStatuses(await Promise.all(visits)), { 200: 60, 429: 140 });
  });

  await t.test("preflights and requests follow a change on the other node", async () => {
    const preflight = async (origin: string) => {
      const answer = await nodes[1].call("OPTIONS", "/listings", { key: undefined, headers: { origin } });
      return answer.headers["access-control-allow-origin"];
    };
    assert.equal(await preflight(ORIGIN), ORIGIN);
    assert.equal((await visit(nodes[1], "198.51.100.3")).json.code, "rate_limit_exceeded");
    await nodes[0].call("PATCH", `/keys/${id}`, { body: { allowedOrigins: ["https://new.example"] } });
    const moved = await visit(nodes[1], "198.51.100.2", "https://new.example");
    assert.equal(moved.json.code, "rate_limit_exceeded", "the new origin is allowed at once");
    while ((await preflight("https://new.example")) === undefined) await pause(20);
    assert.equal(await preflight(ORIGIN), undefined);
    assert.equal((await visit(nodes[1], "198.51.100.1")).json.code, "origin_not_allowed");
  });
});
