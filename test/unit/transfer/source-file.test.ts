// Reading the file of an import: it gives way to other work, and ends when it is aborted.

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { openSource } from "../../../src/transfer/import/source-file.ts";
import { makeFolder } from "../../harness/runner/folder.ts";

const ROWS = 200;

/** A small file, and a clock that moves by this time whenever it is read. */
async function makeScene(
  t: TestContext,
  stepMs: number,
  signal = new AbortController().signal,
  lines = "Rex\n".repeat(ROWS),
) {
  let nowMs = 0;
  t.mock.method(performance, "now", () => {
    nowMs += stepMs;
    return nowMs;
  });
  const path = join(makeFolder(t), "animals.csv");
  writeFileSync(path, `name\n${lines}`);
  const detected = { encoding: undefined, delimiter: undefined };
  return openSource({ path, format: "csv", ...detected, signal, onProgress: () => {} });
}

/** How often other work could run while the file was read. */
async function countTurns(read: () => Promise<void>): Promise<number> {
  let turns = 0;
  let isOver = false;
  const count = () => {
    turns += 1;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  await read();
  isOver = true;
  return turns;
}

test("reading gives way to other work every 5 ms", async (t) => {
  const source = await makeScene(t, 2.5);
  let rows = 0;
  const turns = await countTurns(async () => {
    for await (const _ of source.read("bytes")) rows += 1;
  });
  assert.equal(rows, ROWS);
  assert.ok(turns >= ROWS / 2, `${turns} turns`);
});

test("reading gives way between lines that are no rows", async (t) => {
  const source = await makeScene(t, 5, undefined, "\n".repeat(10_000));
  const before = performance.now();
  for await (const _ of source.read("bytes")) assert.fail("an empty line is no row");
  // The clock is read for each of 40 pieces, and after each pause.
  assert.ok(performance.now() - before >= 80 * 5, `${performance.now() - before} ms`);
});

test("reading ends at the next pause when it is aborted", async (t) => {
  const abort = new AbortController();
  const source = await makeScene(t, 5, abort.signal);
  let rows = 0;
  const read = async () => {
    for await (const _ of source.read("bytes")) {
      rows += 1;
      if (rows === 10) abort.abort(new Error("gone"));
    }
  };
  await assert.rejects(read(), /gone/);
  assert.equal(rows, 10);
});
