// Work that is done on the first call, and again after it has failed.

import assert from "node:assert/strict";
import { test } from "node:test";
import { once } from "../../../src/tools/once.ts";

test("work is done once, for all callers", async () => {
  let calls = 0;
  const read = once(async () => (calls += 1));
  assert.deepEqual(await Promise.all([read(), read()]), [1, 1]);
  assert.equal(await read(), 1);
});

test("work that has failed is done again by the next call", async () => {
  let calls = 0;
  const read = once(async () => {
    calls += 1;
    if (calls === 1) throw new Error("not now");
    return calls;
  });
  await assert.rejects(read(), /not now/);
  assert.equal(await read(), 2);
  assert.equal(await read(), 2);
});
