// Long polling over a history that the test controls: what ends the wait, and how often the history is read meanwhile.

import assert from "node:assert/strict";
import { test } from "node:test";
import { createChangeSignal } from "../../src/domain/change-signal.ts";
import { EVENT_TYPES, type EventStore } from "../../src/domain/event.ts";
import { readOrWait } from "../../src/http/events/long-poll.ts";

const EPOCH = "0123456789abcdef";
const WAIT_MS = 60_000;

/** Waits behind the newest event, which is number 7. */
function startWaiting() {
  const state = { newest: 7n, reads: 0 };
  const changes = createChangeSignal(async () => Number(state.newest));
  const gone = new AbortController();
  const events: EventStore = {
    async read(after) {
      state.reads += 1;
      assert.ok(state.reads < 10, "it reads again and again");
      const from = after === "oldest" ? 0n : after.number;
      return { epoch: EPOCH, after: from, events: [], examined: state.newest, newest: state.newest };
    },
    newest: async () => ({ epoch: EPOCH, number: state.newest }),
    forget: async () => 0,
  };
  const page = readOrWait(
    { events, changes },
    {
      ...{ after: { epoch: EPOCH, number: 7n }, filter: { types: EVENT_TYPES } },
      ...{ limit: 20, waitMs: WAIT_MS, until: gone.signal },
    },
  );
  return { page, changes, gone, state };
}

const ends: Record<string, (scene: ReturnType<typeof startWaiting>) => void> = {
  "the client has gone": ({ gone }) => gone.abort(),
  "the service stops": ({ changes }) => changes.end(),
};
for (const [what, end] of Object.entries(ends))
  test(`A wait ends when ${what}, with one more read`, async () => {
    const startMs = performance.now();
    const scene = startWaiting();
    await new Promise(setImmediate);
    assert.equal(scene.state.reads, 1);
    end(scene);
    const { events, examined } = await scene.page;
    assert.deepEqual([events, examined, scene.state.reads], [[], 7n, 2]);
    assert.ok(performance.now() - startMs < WAIT_MS);
  });

test("A wait goes on behind events that are not for the client", async () => {
  const scene = startWaiting();
  await new Promise(setImmediate);
  scene.state.newest = 9n;
  scene.changes.note(9);
  let isOver = false;
  void scene.page.then(() => {
    isOver = true;
  });
  while (scene.state.reads < 2 && !isOver) await new Promise(setImmediate);
  scene.changes.end();
  assert.deepEqual([(await scene.page).examined, scene.state.reads], [9n, 3]);
});

test("Between the reads of a long history, other requests have their turn", async () => {
  const changes = createChangeSignal(async () => 1_000);
  let reads = 0;
  const events: EventStore = {
    // As SQLite answers: without waiting.
    async read(after) {
      reads += 1;
      const from = after === "oldest" ? 0n : after.number;
      return { epoch: EPOCH, after: from, events: [], examined: from + 10n, newest: 1_000n };
    },
    newest: async () => ({ epoch: EPOCH, number: 1_000n }),
    forget: async () => 0,
  };
  const page = readOrWait(
    { events, changes },
    {
      ...{ after: "oldest", filter: { types: EVENT_TYPES } },
      ...{ limit: 20, waitMs: WAIT_MS, until: new AbortController().signal },
    },
  );
  await new Promise(setImmediate);
  assert.ok(reads <= 2, `${reads} reads before another request`);
  while (reads < 100) await new Promise(setImmediate);
  changes.end();
  assert.equal((await page).examined, 1_010n);
});
