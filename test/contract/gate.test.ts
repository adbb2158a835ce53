// The gate in process: exact counts, and memory that holds only counts that can still decide.

import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import { createAddressBudgets } from "../../src/domain/keys/address-budgets.ts";
import type { KeyCounts } from "../../src/domain/keys/admission.ts";
import type { ApiKey } from "../../src/domain/keys/api-key.ts";
import type { CountStore } from "../../src/domain/keys/gate.ts";
import { createInProcessGate } from "../../src/gate/in-process.ts";
import { FREE_KEY } from "../harness/clients/free-key.ts";
import { createClock, type ManualClock } from "../harness/servers/app.ts";

const DAY_MS = 86_400_000;
/** A kill loses less than 5 s of counts. */
const FLUSH_WITHIN_MS = 4_000;

function keyWithId(id: bigint): ApiKey {
  return { ...FREE_KEY, id };
}

/** A store whose writes wait for `hold`, and fail while `isBroken` is set. */
function createStore() {
  const saved = new Map<bigint, KeyCounts>();
  const state = { isBroken: false, saves: 0, hold: Promise.resolve() };
  const store: CountStore = {
    readAll: async () => new Map(saved),
    loadAll: async () => new Map(saved),
    find: async (id) => saved.get(id),
    async save(counts) {
      await state.hold;
      if (state.isBroken) throw new Error("the disk is full");
      state.saves += 1;
      for (const [id, each] of counts) saved.set(id, each);
    },
  };
  return { store, saved, state };
}

async function openGate(
  store: CountStore,
  options: Partial<Parameters<typeof createInProcessGate>[0]> & { clock?: ManualClock } = {},
) {
  const { clock = createClock(Date.UTC(2027, 0, 1)), onFlushError = () => {}, foreignChanges } = options;
  const gate = await createInProcessGate({ clock, store, foreignChanges, onFlushError });
  return { gate, clock };
}

test("the gate in process stores counts again after a failure, the newest ones", async () => {
  const { store, saved, state } = createStore();
  const { gate } = await openGate(store);
  await gate.admit(keyWithId(1n));
  await gate.admit(keyWithId(2n));
  state.isBroken = true;
  const { promise: hold, resolve: release } = Promise.withResolvers<void>();
  state.hold = hold;
  const flushing = gate.flush();
  await gate.admit(keyWithId(2n));
  await gate.admit(keyWithId(3n));
  release();
  await assert.rejects(flushing, /disk is full/);
  await gate.admit(keyWithId(1n));
  await gate.admit(keyWithId(4n));
  state.isBroken = false;
  await gate.flush();
  const used = [1n, 2n, 3n, 4n].map((id) => saved.get(id)?.minute.used);
  assert.deepEqual(used, [2, 2, 1, 1], "of requests before, during and after the failure");
  await gate.close();
});

test("the gate in process stores counts every few seconds, and reports a failure", async (t) => {
  t.mock.timers.enable({ apis: ["setInterval"] });
  const { store, saved, state } = createStore();
  const errors: unknown[] = [];
  const { gate } = await openGate(store, { onFlushError: (error) => errors.push(error) });
  await gate.admit(keyWithId(1n));
  for (const isBroken of [true, false]) {
    state.isBroken = isBroken;
    t.mock.timers.tick(FLUSH_WITHIN_MS);
    await yieldToEventLoop();
    assert.equal(saved.size, isBroken ? 0 : 1);
    assert.equal(errors.length, 1);
  }
  assert.match(String(errors[0]), /disk is full/);
  await gate.close();
});

test("the version of the animals in process never falls, and is unknown while the file cannot be read", async () => {
  const file = { changes: 3 };
  const foreignChanges = () => {
    if (Number.isNaN(file.changes)) throw new Error("the disk does not answer");
    return file.changes;
  };
  const { gate } = await openGate(createStore().store, { foreignChanges });
  const pets = () => gate.peek(keyWithId(1n)).versions?.pets;
  await gate.publishPetsVersion(7);
  await gate.publishPetsVersion(6);
  assert.equal(pets(), 10);
  file.changes = 4;
  assert.equal(pets(), 11, "another process has changed the file");
  file.changes = Number.NaN;
  assert.deepEqual(
    [pets(), gate.generation()],
    [Number.NaN, Number.NaN],
    "equal to none, also not to itself",
  );
  await gate.close();
});

test("the gate in process forgets counts that decide nothing any more, and only those", async () => {
  const { store, saved } = createStore();
  const { gate, clock } = await openGate(store);
  const startMs = clock.nowMs();
  await gate.admit(keyWithId(1n));
  clock.advance(DAY_MS - 1);
  await gate.admit(keyWithId(2n));
  await gate.flush();
  clock.set(startMs);
  assert.equal(gate.peek(keyWithId(1n)).windows[1]?.remaining, 999, "its day has not ended");

  clock.set(startMs + DAY_MS);
  await gate.flush();
  // A clock that is set back shows whether the counts are still in memory.
  clock.set(startMs);
  assert.equal(gate.peek(keyWithId(1n)).windows[1]?.remaining, 1_000);
  clock.set(startMs + DAY_MS);
  saved.clear();
  await gate.admit(keyWithId(2n));
  await gate.close();
  assert.deepEqual([...saved.keys()], [2n]);
  assert.equal(saved.get(2n)?.day.used, 2);
});

test("budgets of addresses stay within their bound; the oldest goes first", () => {
  const budgets = createAddressBudgets(60, 100);
  for (let i = 0; i < 100_000; i++) budgets.admit(`address ${i}`, 1_000 + (i % 7));
  assert.equal(budgets.size, 100);
  assert.equal(budgets.peek("address 99999", 2_000).windows[0]?.remaining, 59);
  assert.equal(budgets.peek("address 99900", 2_000).windows[0]?.remaining, 59);
  assert.equal(budgets.peek("address 99899", 2_000).windows[0]?.remaining, 60);
  budgets.admit("address 99900", 2_000);
  budgets.admit("next", 2_000);
  assert.equal(budgets.peek("address 99900", 2_000).windows[0]?.remaining, 60, "also if it was used again");
});

test("budgets of addresses that have ended are deleted when another begins", () => {
  const budgets = createAddressBudgets(60, 100);
  for (let i = 0; i < 50; i++) budgets.admit(`address ${i}`, 1_000);
  budgets.admit("late", 61_000);
  assert.equal(budgets.size, 1);
});
