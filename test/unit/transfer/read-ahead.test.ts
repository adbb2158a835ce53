// Reading ahead: the next item is read early, but errors and the end keep their places.

import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { readAhead } from "../../../src/transfer/import/read-ahead.ts";

/** Notes what it does; throws behind the last item. */
async function* count(last: number, notes: string[]): AsyncGenerator<number> {
  try {
    for (let item = 1; item <= last; item++) {
      notes.push(`read ${item}`);
      yield item;
    }
    throw new Error("broken");
  } finally {
    notes.push("closed");
  }
}

test("the next item is read while one is used, and an error comes after all items before it", async () => {
  const notes: string[] = [];
  const use = async () => {
    for await (const { item, readNext } of readAhead(count(2, notes))) {
      readNext();
      await Promise.resolve();
      notes.push(`sent ${item}`);
      await nextTurn();
      // For example a repetition: the next item is read once.
      readNext();
      await nextTurn();
      notes.push(`used ${item}`);
    }
  };
  await assert.rejects(use(), /broken/);
  const first = ["read 1", "sent 1", "read 2", "used 1"];
  assert.deepEqual(notes, [...first, "sent 2", "closed", "used 2"]);
});

test("a caller that does not ask for the next item gets it nevertheless", async () => {
  const notes: string[] = [];
  const use = async () => {
    for await (const { item } of readAhead(count(2, notes))) notes.push(`used ${item}`);
  };
  await assert.rejects(use(), /broken/);
  assert.deepEqual(notes, ["read 1", "used 1", "read 2", "used 2", "closed"]);
});

test("a caller that stops early closes the sequence", async () => {
  const notes: string[] = [];
  for await (const { item, readNext } of readAhead(count(9, notes))) {
    readNext();
    await nextTurn();
    if (item === 2) break;
  }
  assert.deepEqual(notes, ["read 1", "read 2", "read 3", "closed"]);
});
