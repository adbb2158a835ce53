// A periodic job that is also run on demand.

import assert from "node:assert/strict";
import { test } from "node:test";
import { repeat } from "../../../src/tools/repeat.ts";

test("a run on demand begins after the call, also while another run is in progress", async (t) => {
  const { promise: held, resolve: release } = Promise.withResolvers<void>();
  let now = "before";
  const seen: string[] = [];
  const job = repeat(
    60_000,
    async () => {
      seen.push(now);
      if (seen.length === 1) await held;
    },
    () => assert.fail(),
  );
  t.after(() => job.stop());
  const first = job.run();
  await Promise.resolve();
  now = "after";
  const both = [job.run(), job.run()];
  release();
  await Promise.all([first, ...both]);
  assert.deepEqual(seen, ["before", "after"]);
});

test("a run on demand is not harmed by the failure of the one before, and reports its own", async (t) => {
  let runs = 0;
  const job = repeat(
    60_000,
    async () => {
      runs += 1;
      throw new Error(`run ${runs}`);
    },
    () => assert.fail(),
  );
  t.after(() => job.stop());
  const first = assert.rejects(job.run(), /run 1/);
  await Promise.resolve();
  await Promise.all([first, assert.rejects(job.run(), /run 2/)]);
});
