// The slots of a node: how many one webhook, one key, and slow or failing ones may have, and whose turn is next.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { DispatchTarget } from "../../../src/domain/webhooks/dispatch.ts";
import { createSendingSlots } from "../../../src/webhooks/sending-slots.ts";
import { createClock } from "../../harness/servers/app.ts";

const FAILURES = { failingSinceMs: 1, lastFailureMs: 1 };
/** Contenders for a webhook that waits alone. */
const ALONE = 1;

/** Ids from 1; ten webhooks for each key. */
function targetOf(id: number, more: Partial<DispatchTarget> = {}): DispatchTarget {
  const keyId = BigInt(Math.ceil(id / 10));
  return {
    id: BigInt(id),
    keyId,
    keyFingerprint: "k",
    failures: undefined,
    hasWork: true,
    behind: 0,
    ...more,
  };
}

/** Starts of attempts are not limited: each step is a second of real time. */
function openSlots() {
  const clock = createClock(0);
  let secondsMs = 0;
  const realMs = () => {
    secondsMs += 1_000;
    return secondsMs;
  };
  const slots = createSendingSlots({ clock, realMs });
  return {
    clock,
    slots,
    /** Starts as many attempts as it may. */
    fill(target: DispatchTarget) {
      const reserved = slots.reserve(target, ALONE);
      return Array.from({ length: reserved.count }, () => reserved.start());
    },
    /** One fast success. */
    prove(target: DispatchTarget) {
      const reserved = slots.reserve(target, ALONE);
      reserved.start()(true);
      reserved.release();
    },
  };
}

test("a webhook begins with one slot, and has four after a fast success", () => {
  const { slots, fill, prove } = openSlots();
  const target = targetOf(1);
  assert.equal(slots.findRoom(target), 1);
  prove(target);
  assert.equal(slots.findRoom(target), 4);
  fill(target);
  assert.equal(slots.findRoom(target), 0);
});

test("a webhook that fails or is slow has one slot until its next fast success", () => {
  const { slots, clock, fill, prove } = openSlots();
  const [failing, slow] = [targetOf(1), targetOf(11)];
  for (const target of [failing, slow]) prove(target);
  assert.equal(slots.findRoom({ ...failing, failures: FAILURES }), 1, "another node has seen it fail");
  const [fail] = fill(failing);
  fail?.(false);
  clock.advance(1_000);
  assert.equal(slots.findRoom(failing), 0, "three others run");
  const [end] = fill(slow);
  clock.advance(1_999);
  end?.(true);
  assert.equal(slots.findRoom(slow), 1, "fast: one of four is free");
  clock.advance(1);
  assert.equal(slots.findRoom(slow), 0, "the other three are slow now");
});

test("a webhook that fails gets an attempt a second", () => {
  const { slots, clock, fill } = openSlots();
  const target = targetOf(1);
  for (const end of fill(target)) end(false);
  clock.advance(999);
  assert.equal(slots.findRoom(target), 0);
  clock.advance(1);
  const ends = fill(target);
  assert.equal(ends.length, 1);
  clock.advance(1_500);
  for (const end of ends) end(false);
  assert.equal(slots.findRoom(target), 1, "from its start, not from its end");
  for (const end of fill(target)) end(true);
  assert.equal(slots.findRoom(target), 4);
});

test("a slow success counts as slow after its end, too", () => {
  const { slots, clock, fill, prove } = openSlots();
  const target = targetOf(1);
  prove(target);
  const ends = fill(target);
  clock.advance(2_000);
  for (const end of ends) end(true);
  assert.equal(slots.findRoom(target), 1);
  prove(target);
  assert.equal(slots.findRoom(target), 4);
});

test("a key has 20 slots, of which 5 for its slow and failing webhooks", () => {
  const { fill, prove } = openSlots();
  const targets = Array.from({ length: 10 }, (_, index) => targetOf(index + 1));
  for (const target of targets) prove(target);
  assert.equal(targets.map((target) => fill(target).length).join(" "), "4 4 4 4 4 0 0 0 0 0");
  assert.equal(fill(targetOf(11)).length, 1, "of another key");

  const slow = openSlots();
  for (const target of targets) for (const end of slow.fill(target)) end(false);
  slow.clock.advance(1_000);
  assert.equal(targets.map((target) => slow.fill(target).length).join(" "), "1 1 1 1 1 0 0 0 0 0");
  const honest = targetOf(10);
  slow.slots.keep(targets.slice(0, 9));
  assert.equal(slow.slots.findRoom(honest), 1, "a new one of the same key has a slot");
});

test("new, slow and failing webhooks of all keys share 50 % of the node's slots, and leave the rest to the others", () => {
  const { slots, fill, prove } = openSlots();
  const proven = targetOf(100);
  prove(proven);
  const targets = Array.from({ length: 90 }, (_, index) => targetOf(index + 1));
  const count = targets.reduce((sum, target) => sum + fill(target).length, 0);
  assert.equal(count, 25);
  assert.equal(slots.findRoom(targetOf(95)), 0);
  assert.equal(slots.findRoom(proven), 4);
});

test("attempts that become slow while they run count as slow", () => {
  const { slots, clock, fill, prove } = openSlots();
  const attackers = Array.from({ length: 10 }, (_, index) => targetOf(index + 1));
  for (const target of attackers) prove(target);
  for (const target of attackers) fill(target);
  clock.advance(2_000);
  assert.equal(slots.findRoom({ ...targetOf(9), failures: FAILURES }), 0, "20 of its key");
  const others = Array.from({ length: 10 }, (_, index) => targetOf(index + 11));
  assert.equal(
    others.reduce((sum, target) => sum + fill(target).length, 0),
    5,
    "20 of 25 are taken",
  );
});

test("a node has 50 slots, also while transactions are under way", () => {
  const { slots, prove } = openSlots();
  const targets = [1, 11, 21, 31].flatMap((first) =>
    Array.from({ length: 5 }, (_, i) => targetOf(first + i)),
  );
  for (const target of targets) prove(target);
  const reserved = targets.map((target) => slots.reserve(target, ALONE));
  assert.equal(
    reserved.reduce((sum, { count }) => sum + count, 0),
    50,
  );
  assert.equal(slots.findRoom(targetOf(41)), 0);
  for (const each of reserved) each.release();
  assert.equal(slots.findRoom(targetOf(41)), 1, "unused slots are free again");
});

test("several webhooks that want the free slots get equal shares, at least one", () => {
  const { slots, prove } = openSlots();
  prove(targetOf(1));
  assert.equal(slots.reserve(targetOf(1), 25).count, 2);
  assert.equal(slots.reserve(targetOf(11), 100).count, 1);
});

test("slots go round: first the key that has waited longest, then its webhook", () => {
  const { slots, fill } = openSlots();
  const [a1, a2, b1] = [targetOf(1), targetOf(2), targetOf(11)];
  const order: bigint[] = [];
  for (let turn = 0; turn < 6; turn++) {
    const target = slots.next([a1, a2, b1]) as DispatchTarget;
    order.push(target.id);
    for (const end of fill(target)) end(true);
  }
  assert.deepEqual(order, [1n, 11n, 2n, 11n, 1n, 11n]);
  assert.equal(slots.next([]), undefined);
});

test("a key starts 20 attempts at once, then one each 10 ms", () => {
  let nowMs = 1_000;
  const slots = createSendingSlots({ clock: createClock(0), realMs: () => nowMs });
  const target = targetOf(1);
  const startOne = () => {
    const reserved = slots.reserve(target, ALONE);
    for (let i = 0; i < reserved.count; i++) reserved.start()(true);
    return reserved.count;
  };
  let started = 0;
  while (slots.findRoom(target) > 0) started += startOne();
  assert.equal(started, 20);
  assert.equal(slots.findWaitMs([target]), 10);
  assert.equal(slots.findWaitMs([targetOf(11)]), undefined);
  assert.equal(slots.findRoom(targetOf(11)), 1, "another key");
  nowMs += 9;
  assert.equal(slots.findRoom(target), 0);
  nowMs += 1;
  assert.equal(slots.findWaitMs([target]), undefined);
  assert.equal(startOne(), 1);
  nowMs += 10_000;
  const unused = slots.reserve(target, ALONE);
  unused.release();
  started = 0;
  while (slots.findRoom(target) > 0) started += startOne();
  assert.equal(started, 20, "what was not started costs nothing");
});
