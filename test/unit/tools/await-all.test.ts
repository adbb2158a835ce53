// Waiting for several promises: all of them end first, and the first error in their order counts.

import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import { awaitAll } from "../../../src/tools/await-all.ts";

test("resolves to the values in their order", async () => {
  assert.deepEqual(await awaitAll([yieldToEventLoop(1), 2, Promise.resolve(3)]), [1, 2, 3]);
});

test("rejects when all have ended, with the first error in their order", async () => {
  const notes: string[] = [];
  const end = async (name: string, turns: number) => {
    for (let turn = 0; turn < turns; turn++) await yieldToEventLoop();
    notes.push(name);
  };
  const fail = async (name: string, turns: number) => {
    await end(name, turns);
    throw new Error(name);
  };
  await assert.rejects(awaitAll([fail("first", 2), fail("second", 0), end("third", 3)]), /^Error: first$/);
  assert.deepEqual(notes, ["second", "first", "third"]);
});
