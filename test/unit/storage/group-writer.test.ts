// The queue of PostgreSQL's group commits: deadlines, claims and faults, on a pool that the test controls.

import assert from "node:assert/strict";
import { performance } from "node:perf_hooks";
import { type TestContext, test } from "node:test";
import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import type { Connections } from "../../../src/storage/postgres/connections.ts";
import { createGroupWriter } from "../../../src/storage/postgres/group-writer.ts";

const DEADLINE_MS = 1_000;
const unavailable = { code: "unavailable" };

/** Every loan is a group: it waits until the test ends it with the outcomes of its writes, or with an error. */
function open(t: TestContext) {
  const clock = { nowMs: 0 };
  t.mock.method(performance, "now", () => clock.nowMs);
  const groups: Array<{ endMs: number; commit(...values: number[]): void; fail(error: Error): void }> = [];
  const lend = ((endMs) =>
    new Promise((resolve, reject) => {
      const commit = (...values: number[]) => resolve(values.map((value) => ({ value })) as never);
      groups.push({ endMs, commit, fail: reject });
    })) as Connections["lend"];
  const faults: unknown[] = [];
  const sizes: number[] = [];
  const writer = createGroupWriter(
    { lend, examineServers: async () => {}, servers: () => [], close: async () => {} },
    {
      deadlineMs: DEADLINE_MS,
      onCommit: (size) => sizes.push(size),
      onFault: (error) => faults.push(error),
    },
  );
  const write = (claim?: bigint) => writer.write(async () => {}, claim);
  const nextGroup = async () => {
    for (let tick = 0; tick < 3; tick++) await yieldToEventLoop();
    return groups.shift() ?? assert.fail("no group");
  };
  return { clock, writer, write, nextGroup, groups, faults, sizes };
}

test("a group has the deadline of its oldest write, with its time in the queue", async (t) => {
  const { clock, write, nextGroup, sizes } = open(t);
  const first = write();
  const running = await nextGroup();
  assert.equal(running.endMs, DEADLINE_MS);
  clock.nowMs = 100;
  const second = write();
  clock.nowMs = 900;
  const third = write();
  running.commit(1);
  assert.equal(await first, 1);
  const next = await nextGroup();
  assert.equal(next.endMs, 100 + DEADLINE_MS);
  next.commit(2, 3);
  assert.deepEqual([await second, await third, sizes], [2, 3, [1, 2]]);
});

test("a write with hardly any time left is refused, and does not shorten the time of its group", async (t) => {
  const { clock, write, nextGroup } = open(t);
  const first = write();
  const running = await nextGroup();
  const late = write();
  clock.nowMs = 500;
  const fresh = write();
  clock.nowMs = DEADLINE_MS - 49;
  running.commit(1);
  await Promise.all([first, assert.rejects(late, unavailable)]);
  const next = await nextGroup();
  assert.equal(next.endMs, 500 + DEADLINE_MS);
  next.commit(3);
  assert.equal(await fresh, 3);
});

test("a group that is lost refuses all its writes and is reported; the next one is served", async (t) => {
  const { write, nextGroup, faults, sizes } = open(t);
  const writes = [write(), write()];
  (await nextGroup()).fail(new Error("Connection terminated"));
  for (const each of writes) await assert.rejects(each, unavailable);
  assert.equal((faults[0] as { code?: string }).code, "unavailable");
  const later = write();
  (await nextGroup()).commit(7);
  assert.deepEqual([await later, faults.length, sizes], [7, 1, [1]]);
});

for (const isLost of [false, true])
  test(`a claim is taken until its write has ${isLost ? "failed" : "ended"}, and then free again`, async (t) => {
    const { write, nextGroup } = open(t);
    const claimed = write(42n);
    await assert.rejects(write(42n), { code: "idempotency_in_progress" });
    const group = await nextGroup();
    if (isLost) group.fail(new Error("Connection terminated"));
    else group.commit(1);
    await Promise.allSettled([claimed]);
    const again = write(42n);
    (await nextGroup()).commit(2);
    assert.equal(await again, 2);
  });
