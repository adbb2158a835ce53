// What every gate promises: exact counts, bounded memory, and nothing forgotten that still decides.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { ApiKey } from "../../src/domain/keys/api-key.ts";
import type { CountStore } from "../../src/domain/keys/gate.ts";
import type { KeyCounts } from "../../src/domain/keys/limits.ts";
import { createAddressBudgets } from "../../src/gate/address-budgets.ts";
import { createInProcessGate } from "../../src/gate/in-process.ts";
import { createClock } from "../harness/app.ts";

const DAY_MS = 86_400_000;

function keyWithId(id: bigint): ApiKey {
  return { id, name: "x", plan: "free", access: "manage", hint: "", createdAtMs: 0 };
}

/** A store that may be out of order. */
function createStore() {
  const saved = new Map<bigint, KeyCounts>();
  const state = { isBroken: false, saves: 0 };
  const store: CountStore = {
    readAll: async () => new Map(saved),
    loadAll: async () => new Map(saved),
    find: async (id) => saved.get(id),
    async save(counts) {
      if (state.isBroken) throw new Error("the disk is full");
      state.saves += 1;
      for (const [id, each] of counts) saved.set(id, each);
    },
  };
  return { store, saved, state };
}

async function openGate(store: CountStore, clock = createClock(Date.UTC(2027, 0, 1))) {
  const gate = await createInProcessGate({ clock, store, onFlushError: () => {} });
  return { gate, clock };
}

test("the gate in process stores what changed, once, and goes on from there", async () => {
  const { store, saved, state } = createStore();
  const { gate, clock } = await openGate(store);
  for (let i = 0; i < 5; i++) await gate.admit(keyWithId(1n));
  await gate.admit(keyWithId(2n));
  await gate.flush();
  await gate.flush();
  assert.equal(state.saves, 1);
  assert.equal(saved.get(1n)?.minute.used, 5);
  await gate.admit(keyWithId(1n));
  await gate.close();
  assert.equal(saved.get(1n)?.minute.used, 6);

  const next = await openGate(store, clock);
  const { windows } = await next.gate.admit(keyWithId(1n));
  assert.equal(windows[0]?.remaining, 53);
  await next.gate.close();
});

test("the gate in process keeps counts that could not be stored, and newer ones win", async () => {
  const { store, saved, state } = createStore();
  const { gate } = await openGate(store);
  await gate.admit(keyWithId(1n));
  await gate.admit(keyWithId(2n));
  state.isBroken = true;
  await assert.rejects(gate.flush(), /disk is full/);
  await gate.admit(keyWithId(1n));
  state.isBroken = false;
  await gate.flush();
  assert.deepEqual([saved.get(1n)?.minute.used, saved.get(2n)?.minute.used], [2, 1]);
  await gate.close();
});

test("the gate in process forgets keys that were not used for a day, and only those", async () => {
  const { store, saved } = createStore();
  const { gate, clock } = await openGate(store);
  await gate.admit(keyWithId(1n));
  clock.advance(DAY_MS - 1_000);
  await gate.admit(keyWithId(2n));
  clock.advance(1_000);
  await gate.flush();
  saved.clear();
  await gate.admit(keyWithId(2n));
  await gate.close();
  assert.equal(saved.get(2n)?.day.used, 2);
});

test("looking at a key charges nothing and never refuses", async () => {
  const { gate } = await openGate(createStore().store);
  for (let i = 0; i < 61; i++) await gate.admit(keyWithId(1n));
  for (let i = 0; i < 100; i++) assert.equal((await gate.peek(keyWithId(1n))).verdict, "admitted");
  assert.equal((await gate.peek(keyWithId(1n))).windows[0]?.remaining, 0);
  await gate.close();
});

test("budgets of strangers stay within their bound; the oldest goes first", () => {
  const budgets = createAddressBudgets(60, 100);
  for (let i = 0; i < 100_000; i++) budgets.admit(`address ${i}`, 1_000 + (i % 7));
  assert.equal(budgets.size, 100);
  assert.equal(budgets.peek("address 99999", 2_000).windows[0]?.remaining, 59);
  assert.equal(budgets.peek("address 99900", 2_000).windows[0]?.remaining, 59);
  assert.equal(budgets.peek("address 99899", 2_000).windows[0]?.remaining, 60);
});

test("budgets of strangers that have ended make room by themselves", () => {
  const budgets = createAddressBudgets(60, 100);
  for (let i = 0; i < 50; i++) budgets.admit(`address ${i}`, 1_000);
  budgets.admit("late", 61_000);
  assert.equal(budgets.size, 1);
});
