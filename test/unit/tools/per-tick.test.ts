// Items of one event-loop tick are processed together, up to a limit.

import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import { perTick } from "../../../src/tools/per-tick.ts";

test("processes the items of one tick together at its end", async () => {
  const done: number[][] = [];
  const add = perTick<number>((items) => done.push(items));
  for (const item of [1, 2, 3]) add(item);
  await Promise.resolve();
  assert.deepEqual(done, []);
  await yieldToEventLoop();
  assert.deepEqual(done, [[1, 2, 3]]);
  add(4);
  await yieldToEventLoop();
  assert.deepEqual(done, [[1, 2, 3], [4]]);
});

test("processes 256 items at once, before the end of the tick", async () => {
  const sizes: number[] = [];
  const add = perTick<number>((items) => sizes.push(items.length));
  for (let item = 0; item < 600; item++) add(item);
  assert.deepEqual(sizes, [256, 256]);
  await yieldToEventLoop();
  assert.deepEqual(sizes, [256, 256, 88]);
});
