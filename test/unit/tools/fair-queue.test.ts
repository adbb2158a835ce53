// The fair queue: how many jobs run and wait, and whose turn is next.

import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as setImmediatePromise } from "node:timers/promises";
import { createFairQueue } from "../../../src/tools/fair-queue.ts";

/** Longer than any test takes. */
const LONG_MS = 60_000;

function createScene(limits: Parameters<typeof createFairQueue>[0] = { atOnce: 2, waitingMax: 2 }) {
  const run = createFairQueue(limits, {
    onFull: () => new Error("full"),
    onTimeout: () => new Error("late"),
  });
  const running: string[] = [];
  const ends = new Map<string, (outcome?: Error) => void>();
  /** Resolves to the outcome of the job. */
  const add = (owner: bigint, name: string, endMs = performance.now() + LONG_MS): Promise<string> =>
    run(owner, endMs, () => {
      running.push(name);
      return new Promise<string>((resolve, reject) =>
        ends.set(name, (error) => {
          running.splice(running.indexOf(name), 1);
          error === undefined ? resolve("done") : reject(error);
        }),
      );
    }).catch((error: Error) => error.message);
  return {
    add,
    running,
    /** Ends a running job, and resolves when the next one has started. */
    async end(name: string, error?: Error): Promise<void> {
      ends.get(name)?.(error);
      await new Promise(setImmediate);
    },
  };
}

test("one job of an owner runs and two wait; the next is refused, and others are not affected", async () => {
  const { add, running, end } = createScene();
  const jobs = ["a1", "a2", "a3"].map((name) => add(1n, name));
  assert.equal(await add(1n, "a4"), "full");
  assert.deepEqual(running, ["a1"], "the second place is free for others");
  jobs.push(add(2n, "b1"));
  assert.deepEqual(running, ["a1", "b1"]);
  for (const name of ["b1", "a1", "a2"]) await end(name);
  assert.deepEqual(running, ["a3"]);
  jobs.push(add(1n, "a5"));
  await end("a3");
  await end("a5");
  assert.deepEqual(await Promise.all(jobs), ["done", "done", "done", "done", "done"]);
});

test("a free place goes to the owner whose last turn was the longest ago", async () => {
  const { add, running, end } = createScene({ atOnce: 1, waitingMax: 2 });
  const started: string[] = [];
  const jobs = [add(1n, "a1"), add(1n, "a2"), add(1n, "a3"), add(2n, "b1"), add(3n, "c1"), add(2n, "b2")];
  while (running.length > 0) {
    const [name = ""] = running;
    started.push(name);
    await end(name);
  }
  assert.deepEqual(started, ["a1", "b1", "c1", "a2", "b2", "a3"]);
  await Promise.all(jobs);
});

test("no more jobs run at a time than allowed, also after failures", async () => {
  const { add, running, end } = createScene();
  const jobs = [1n, 2n, 3n, 4n].map((owner) => add(owner, `job ${owner}`));
  assert.deepEqual(running, ["job 1", "job 2"]);
  await end("job 2", new Error("broken"));
  assert.deepEqual(running, ["job 1", "job 3"]);
  await end("job 1");
  assert.deepEqual(running, ["job 3", "job 4"]);
  await end("job 3");
  await end("job 4");
  assert.deepEqual(await Promise.all(jobs), ["done", "broken", "done", "done"]);
});

test("a slot rests after a job, as long as the job's duration says", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const durations: number[] = [];
  const restMs = (workMs: number) => {
    durations.push(workMs);
    return 50;
  };
  const { add, running, end } = createScene({ atOnce: 1, waitingMax: 2, restMs });
  const [first, second] = [add(1n, "a"), add(2n, "b")];
  await end("a");
  assert.equal(await first, "done", "its result does not wait");
  t.mock.timers.tick(49);
  await setImmediatePromise();
  assert.deepEqual(running, []);
  t.mock.timers.tick(1);
  await setImmediatePromise();
  assert.deepEqual(running, ["b"]);
  await end("b", new Error("failed"));
  assert.equal(await second, "failed");
  assert.ok(durations.length === 2 && durations.every((ms) => ms >= 0), `${durations}`);
});

test("a job that cannot start in time is refused, and leaves its place in the queue", async () => {
  const { add, running, end } = createScene({ atOnce: 1, waitingMax: 1 });
  const first = add(1n, "a1");
  assert.equal(await add(2n, "b1", performance.now() + 1), "late");
  const second = add(2n, "b2");
  await end("a1");
  assert.deepEqual(running, ["b2"]);
  await end("b2");
  assert.deepEqual(await Promise.all([first, second]), ["done", "done"]);
});
