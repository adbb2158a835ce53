// What is done together at the end of a turn, and what is not left until then.

import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { perTick } from "../../src/tools/per-tick.ts";

test("what comes up in one turn is done together after it", async () => {
  const done: number[][] = [];
  const add = perTick<number>((items) => done.push(items));
  for (const item of [1, 2, 3]) add(item);
  await Promise.resolve();
  assert.deepEqual(done, []);
  await nextTurn();
  assert.deepEqual(done, [[1, 2, 3]]);
  add(4);
  await nextTurn();
  assert.deepEqual(done, [[1, 2, 3], [4]]);
});

test("so much that others would wait is not left until the end of the turn", async () => {
  const sizes: number[] = [];
  const add = perTick<number>((items) => sizes.push(items.length));
  for (let item = 0; item < 600; item++) add(item);
  assert.deepEqual(sizes, [256, 256]);
  await nextTurn();
  assert.deepEqual(sizes, [256, 256, 88]);
});
