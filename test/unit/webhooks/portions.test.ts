// Webhooks that are far behind: one portion at a time, in turn, with pauses, while the others are served at once.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { DispatchStore, DispatchTarget } from "../../../src/domain/webhooks/dispatch.ts";
import { EVENTS_PER_PORTION } from "../../../src/domain/webhooks/webhook-limits.ts";
import { createPortions, isBehind } from "../../../src/webhooks/portions.ts";
import { openEmptyStore } from "../../contract/engines.ts";
import { startReceiver } from "../../harness/servers/receiver.ts";
import { createDispatchScene } from "./dispatch-scene.ts";

function targetOf(id: bigint, behind = EVENTS_PER_PORTION + 1): DispatchTarget {
  return { id, keyId: 1n, keyFingerprint: "k", failures: undefined, hasWork: true, behind };
}

test("a webhook is behind with more than one portion", () => {
  assert.equal(isBehind(targetOf(1n, EVENTS_PER_PORTION)), false);
  assert.equal(isBehind(targetOf(1n, EVENTS_PER_PORTION + 1)), true);
});

test("portions go round by id", () => {
  const portions = createPortions();
  const [a, b, c] = [targetOf(3n), targetOf(5n), targetOf(9n)];
  const chosen = [[a, b, c], [a, b, c], [a, b, c], [a, b, c], [b, c], [a]].map(
    (behind) => portions.choose(behind)?.id,
  );
  assert.deepEqual(chosen, [3n, 5n, 9n, 3n, 5n, 3n]);
  assert.equal(portions.choose([]), undefined);
});

test("after a portion there is none for four times its duration, also if it failed", async () => {
  for (const end of [() => "done", () => Promise.reject(new Error("failed"))]) {
    let nowMs = 1_000;
    const portions = createPortions(() => nowMs);
    assert.equal(portions.waitMs(), 0);
    const work = async () => {
      nowMs += 20;
      return end();
    };
    await portions.run(work).catch(() => {});
    assert.equal(portions.waitMs(), 80);
    nowMs += 79;
    assert.equal(portions.choose([targetOf(1n)]), undefined);
    nowMs += 1;
    assert.equal(portions.choose([targetOf(1n)])?.id, 1n);
  }
});

test("a round has one portion for all webhooks that are behind, and the events of the others", async (t) => {
  const db = await openEmptyStore(t, "SQLite");
  const scene = createDispatchScene(t, db);
  // It never answers, so that only rounds ask for work.
  const receiver = await startReceiver(t, () => {});
  const [first, second] = [await scene.create(receiver.url), await scene.create(receiver.url)];
  const insert = `INSERT INTO history (number, what, pet_id, state_after, at_ms)
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 250)
    SELECT i, 'pet.updated', 77, '{"status":"sold","name":"x","categoryId":"1"}', 10 FROM n`;
  await db.transaction((tx) => tx.run(insert));
  const current = await scene.create(receiver.url);
  await scene.addPets(1);
  /** Events that each webhook was given, by round. */
  const rounds: Array<Map<bigint, number>> = [];
  const ended = Promise.withResolvers<void>();
  const store: DispatchStore = {
    ...scene.dispatch,
    async look(nowMs) {
      const seen = await scene.dispatch.look(nowMs);
      if (seen.targets.every(({ behind }) => behind === 0)) ended.resolve();
      rounds.push(new Map());
      return seen;
    },
    async take(id, limits, nowMs) {
      const round = rounds.at(-1) as Map<bigint, number>;
      round.set(id, (round.get(id) ?? 0) + limits.events);
      return scene.dispatch.take(id, limits, nowMs);
    },
  };
  const node = scene.startNode({ store, roundMs: 1 });
  await ended.promise;
  await node.stop();
  const given = rounds.map((round) => [first, second, current].map(({ id }) => round.get(id) ?? 0));
  assert.deepEqual(given[0], [EVENTS_PER_PORTION, 0, EVENTS_PER_PORTION]);
  // The rest of a webhook, at most as much as a portion, is not counted as one.
  const portions = given.filter(([a = 0, b = 0]) => a > 0 || b > 0);
  assert.deepEqual(portions.slice(1, 3), [
    [0, EVENTS_PER_PORTION, 0],
    [EVENTS_PER_PORTION, 0, 0],
  ]);
});
