// Waiting for several promises: all of them end first, and the first error in their order counts.

import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { settleAll } from "../../../src/tools/settle-all.ts";

test("resolves to the values in their order", async () => {
  assert.deepEqual(await settleAll([nextTurn(1), 2, Promise.resolve(3)]), [1, 2, 3]);
});

test("rejects when all have ended, with the first error in their order", async () => {
  const notes: string[] = [];
  const end = async (name: string, turns: number) => {
    for (let turn = 0; turn < turns; turn++) await nextTurn();
    notes.push(name);
  };
  const fail = async (name: string, turns: number) => {
    await end(name, turns);
    throw new Error(name);
  };
  await assert.rejects(settleAll([fail("first", 2), fail("second", 0), end("third", 3)]), /^Error: first$/);
  assert.deepEqual(notes, ["second", "first", "third"]);
});
