// Runs of one group: they stop at each statement, and one that cannot be shared waits for its turn.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Transaction, Work } from "../../../src/storage/database.ts";
import { type MergedRuns, startMergedRuns } from "../../../src/storage/postgres/statement-merging.ts";
import { createStatement } from "../../../src/storage/statements.ts";
import { column } from "../../harness/clients/pages.ts";

const statementOf = (name: string, isWrite: boolean) =>
  createStatement({ name, values: "id bigint", isWrite, one: "", many: () => "" });
const READ = statementOf("read", false);
const WRITE = statementOf("write", true);

/** Runs until all wait or have ended. */
async function start(works: Array<Work<unknown>>, isShared = true): Promise<MergedRuns> {
  const merged = startMergedRuns(works, isShared);
  await merged.allWaiting();
  return merged;
}

/** Answers each statement of a step with its own first value. Resolves to what was asked. */
async function answerStep(merged: MergedRuns): Promise<string[]> {
  const asked = merged.takeStep();
  for (const { run, statement } of asked) run.hasWritten ||= statement.isWrite;
  for (const { values, resolve } of asked) resolve({ id: values[0] ?? null });
  await merged.allWaiting();
  return asked.map(({ statement, values }) => `${statement.name} ${values[0]}`);
}

/** Notes the plain statements of a turn. */
function noteStatements(): { tx: Transaction; sent: string[] } {
  const sent: string[] = [];
  const tx: Transaction = {
    engine: "postgres",
    all: async (sql) => [{ sent: sent.push(sql) }],
    first: async (sql) => void sent.push(sql),
    lock: async (sql) => void sent.push(sql),
    run: async (sql) => sent.push(sql),
    runRows: async ({ many }) => void sent.push(many),
    addRows: async ({ many }) => [BigInt(sent.push(many))],
    batched: async ({ name }) => void sent.push(name),
    finish: async ({ name }) => void sent.push(name),
  };
  return { tx, sent };
}

const outcomesOf = ({ runs }: MergedRuns) => runs.map(({ outcome }) => outcome);

test("allWaiting resolves when every run waits or has ended, also without any run", async () => {
  await start([]);
  const merged = await start([
    async () => "no statement",
    async (tx) => (await tx.batched(READ, [1n]))?.id,
    async () => Promise.reject("no"),
    async (tx) => tx.run("plain"),
  ]);
  assert.deepEqual(outcomesOf(merged), [{ value: "no statement" }, undefined, { error: "no" }, undefined]);
  assert.deepEqual(
    merged.runs.map(({ runAlone }) => runAlone !== undefined),
    [false, false, false, true],
  );
  assert.deepEqual(await answerStep(merged), ["read 1"]);
  assert.deepEqual(outcomesOf(merged)[1], { value: 1n });
});

test("allWaiting does not resolve while a run works", async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const merged = startMergedRuns([async (tx) => tx.batched(READ, [1n]), () => promise], true);
  let isResolved = false;
  const waiting = merged.allWaiting().then(() => {
    isResolved = true;
  });
  for (let i = 0; i < 20; i++) await Promise.resolve();
  assert.equal(isResolved, false);
  resolve();
  await waiting;
});

test("takes the statements of all runs together, in the order of the runs", async () => {
  const createTwo = async (tx: Transaction, id: bigint) => [
    await tx.batched(WRITE, [id]),
    await tx.finish(WRITE, [id + 10n]),
  ];
  const merged = await start([1n, 2n, 3n].map((id) => (tx) => createTwo(tx, id)));
  assert.deepEqual(await answerStep(merged), ["write 1", "write 2", "write 3"]);
  assert.deepEqual(column(merged.runs, "outcome"), [undefined, undefined, undefined]);
  assert.deepEqual(await answerStep(merged), ["write 11", "write 12", "write 13"]);
  assert.deepEqual(outcomesOf(merged)[2], { value: [{ id: 3n }, { id: 13n }] });
  assert.deepEqual(await answerStep(merged), []);
});

test("takes the reads before the writes, which wait for the slowest reader", async () => {
  const merged = await start([
    (tx) => tx.finish(WRITE, [1n]),
    async (tx) => {
      await tx.batched(READ, [2n]);
      await tx.batched(READ, [3n]);
      return tx.finish(WRITE, [4n]);
    },
  ]);
  assert.deepEqual(await answerStep(merged), ["read 2"]);
  assert.deepEqual(await answerStep(merged), ["read 3"]);
  assert.deepEqual(await answerStep(merged), ["write 1", "write 4"]);
});

test("marks the last statement of a run", async () => {
  const merged = await start([(tx) => tx.batched(READ, [1n]), (tx) => tx.finish(READ, [2n])]);
  assert.deepEqual(column(merged.takeStep(), "isLast"), [false, true]);
});

test("a run that shared a read takes its turn with a plain statement, and keeps it", async () => {
  const merged = await start([
    async (tx) => {
      await tx.batched(READ, [1n]);
      await tx.lock("lock");
      await tx.batched(READ, [2n]);
      await tx.run("change");
      return tx.finish(WRITE, [3n]);
    },
  ]);
  assert.deepEqual(await answerStep(merged), ["read 1"]);
  assert.deepEqual(merged.takeStep(), [], "it waits for its turn");
  const { tx, sent } = noteStatements();
  merged.runs[0]?.runAlone?.(tx);
  await merged.allWaiting();
  assert.deepEqual(sent, ["lock", "read", "change", "write"]);
  assert.ok(outcomesOf(merged)[0]);
  assert.equal(merged.runs[0]?.runAlone, undefined, "a turn is taken once");
});

test("a plain statement after a shared change fails the run", async () => {
  const merged = await start([
    async (tx) => {
      await tx.batched(WRITE, [1n]);
      return tx.run("change");
    },
  ]);
  await answerStep(merged);
  const [outcome] = outcomesOf(merged);
  assert.match(String(outcome && "error" in outcome && outcome.error), /may only share statements/);
});

test("a statement after the last one fails the run", async () => {
  const merged = await start([
    async (tx) => {
      await tx.finish(WRITE, [1n]);
      return tx.batched(READ, [2n]);
    },
  ]);
  await answerStep(merged);
  const [outcome] = outcomesOf(merged);
  assert.match(String(outcome && "error" in outcome && outcome.error), /after its last one/);
});

test("without sharing, every run waits for its turn with its first statement", async () => {
  const merged = await start([(tx) => tx.batched(READ, [1n]), (tx) => tx.finish(WRITE, [2n])], false);
  assert.deepEqual(merged.takeStep(), []);
  const { tx, sent } = noteStatements();
  for (const run of merged.runs) {
    run.runAlone?.(tx);
    await merged.allWaiting();
  }
  assert.deepEqual(sent, ["read", "write"]);
});
