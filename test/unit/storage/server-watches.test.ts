// The looks of a hundred nodes at two servers: few, also when requests ask for more, and not all at the same time.

import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import type { ServerLook, ServerState } from "../../../src/storage/postgres/server-look.ts";
import { pauseAfter, watchServers } from "../../../src/storage/postgres/server-watches.ts";

const NODES = 100;
const WATCHED_MS = 1_500;
/** Pauses differ by up to 40 %. */
const LEAST_SPREAD = 0.1;
const ANSWERS: Record<string, ServerState> = {
  primary: { role: "primary", instance: "1", timeline: 1, position: 0 },
  unreachable: { role: "unreachable", reason: "connection refused" },
};

/** How many looks one node may take in this time, if its pauses are as short as possible. */
const MOST: Record<string, (ms: number) => number> = {
  // Every 400 to 600 ms.
  primary: (ms) => 1 + ms / 400,
  // After 200 to 300 ms, and then after twice as long each time.
  unreachable: (ms) => 1 + Math.log2(1 + ms / 200),
};

/** A hundred nodes that look at a server with this state. Resolves to the times of the looks of each node. */
async function watchFor(t: TestContext, state: ServerState, onLook?: (lookNow: () => void) => void) {
  const startMs = performance.now();
  const nodes = Array.from({ length: NODES }, () => {
    const looks: number[] = [];
    const look: ServerLook = {
      name: "a:5432",
      url: "postgres://a/animals",
      async look() {
        looks.push(performance.now() - startMs);
        return state;
      },
      readNewest: async () => 0,
      readLastPrimary: async () => undefined,
      disconnect() {},
    };
    const watches = watchServers([look], async () => {});
    t.after(watches.stop);
    onLook?.(() => watches.lookNow(look));
    return looks;
  });
  await pause(WATCHED_MS);
  return { nodes, tookMs: performance.now() - startMs };
}

for (const [role, state] of Object.entries(ANSWERS))
  test(`no node of ${NODES} looks more often at a server that is ${role} than its pauses allow`, async (t) => {
    const { nodes, tookMs } = await watchFor(t, state);
    const most = Math.floor((MOST[role] as (ms: number) => number)(tookMs));
    for (const looks of nodes) assert.ok(looks.length <= most, `${looks.length} looks instead of ${most}`);
  });

test(`${NODES} nodes that started together pause for different times, also when the server has been away for long`, () => {
  for (const failures of [0, 1, 2, 3, 10]) {
    const pauses = Array.from({ length: NODES }, () => pauseAfter(failures));
    const longest = Math.max(...pauses);
    assert.ok((longest - Math.min(...pauses)) / longest > LEAST_SPREAD, `after ${failures} failures`);
  }
});

test("nodes whose requests ask for looks without end look at most ten times a second", async (t) => {
  const { nodes, tookMs } = await watchFor(t, ANSWERS.unreachable as ServerState, (lookNow) => {
    const asking = setInterval(lookNow, 1);
    t.after(() => clearInterval(asking));
  });
  const most = 1 + Math.floor(tookMs / 100);
  for (const looks of nodes) assert.ok(looks.length <= most, `${looks.length} looks instead of ${most}`);
});
