// A primary is killed and its standby promoted under writes on two nodes: both write again by themselves, and with a
// synchronous standby nothing acknowledged is lost. FAILOVER_ROUNDS sets how often the servers change places.

import assert from "node:assert/strict";
import { test } from "node:test";
import { findLost, startWriters } from "../../harness/clients/writers.ts";
import { startReplicatedNodes } from "../../harness/servers/replicated-nodes.ts";
import { promote, rebuild, rejoin, requireStandby } from "../../harness/servers/replication.ts";

const ROUNDS = Number(process.env.FAILOVER_ROUNDS ?? 4);
const WRITERS = 32;
/** From the end of the promotion to a write on every node: the median of all rounds. */
const AGAIN_MS = 5_000;
/** The same for a single round, on a busy machine. */
const AGAIN_MS_MAX = 30_000;

test(`${ROUNDS} failovers under ${WRITERS} writers on two nodes lose no acknowledged change`, {
  timeout: 120_000 + ROUNDS * 60_000,
}, async (t) => {
  let { primary, standby, nodes } = await startReplicatedNodes(t);
  const writers = await startWriters(t, nodes, { count: WRITERS });
  const tookMs: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    await requireStandby(primary);
    await writers.untilAllWrite(AGAIN_MS_MAX);
    // A crash and a shutdown in turn.
    const isCrash = round % 2 === 0;
    await primary.stop(isCrash ? "SIGQUIT" : "SIGINT");
    await promote(standby);
    const promotedMs = performance.now();
    await writers.untilAllWrite(AGAIN_MS_MAX);
    tookMs.push(performance.now() - promotedMs);
    [primary, standby] = [standby, primary];
    // After a crash, pg_rewind would recover the server first, which takes longer than a copy.
    await (isCrash ? rebuild : rejoin)(standby, primary);
  }
  await writers.stop();

  const { acknowledged, statuses } = writers;
  const sorted = tookMs.map(Math.round).sort((a, b) => a - b);
  t.diagnostic(`${acknowledged.size} acknowledged, statuses ${JSON.stringify([...statuses])}`);
  t.diagnostic(
    `written again after ${medianOf(sorted)} ms, at most ${sorted.at(-1)} ms: ${sorted.join(", ")}`,
  );
  for (const node of nodes) assert.deepEqual(await findLost(writers, (path) => node.call("GET", path)), []);
  assert.deepEqual([...statuses.keys()].sort(), [201, 503]);
  assert.ok(medianOf(sorted) < AGAIN_MS);
});

const medianOf = (sorted: number[]) => sorted[Math.floor(sorted.length / 2)] ?? 0;
