// The streams of a node with stores and clients that the test controls: slow clients, limits, faults, bounded memory.

import assert from "node:assert/strict";
import { once } from "node:events";
import { test as nodeTest, type TestContext } from "node:test";
import { setImmediate as nextTick } from "node:timers/promises";
import { ServiceError } from "../../../src/domain/basics/errors.ts";
import type { StoredEvent } from "../../../src/domain/events/event.ts";
import { createEventRing } from "../../../src/http/events/event-ring.ts";
import { restAfter } from "../../../src/http/events/live-feed.ts";
import { createStreamLimits } from "../../../src/http/events/stream-limits.ts";
import { createMetrics } from "../../../src/http/observe/metrics.ts";
import { column } from "../../harness/clients/pages.ts";
import { FakeClient, startStreams } from "../../harness/clients/stream-client.ts";
import { ALL, createHistory, EPOCH, isError, keyOf, range } from "../../harness/servers/event-history.ts";

/** An event that does not come would otherwise hold up the file. */
const test = (title: string, run: (t: TestContext) => Promise<void> | void) =>
  nodeTest(title, { timeout: 30_000 }, run);

test("A client that does not read new events is cut before 1 MiB is pending, and others get everything", async (t) => {
  const { open, add } = startStreams(t, createHistory("x".repeat(2_500)));
  const [stuck, quick] = [await open(1n), await open(2n)];
  stuck.isStuck = true;
  let sent = 0;
  for (const count of [1, 150, 150, 150]) {
    assert.equal(stuck.destroyed, false, "it had room");
    assert.deepEqual(stuck.numbers, range(1, sent));
    add(count);
    sent += count;
    await quick.until(() => quick.numbers.length === sent);
  }
  assert.deepEqual(quick.numbers, range(1, sent));
  assert.ok(stuck.destroyed && !stuck.isEnded, "it is not given time to read the rest");
  assert.ok(stuck.pendingBytesMax <= 1024 * 1024, `${stuck.pendingBytesMax} bytes`);
});

test("A client that catches up is not cut for new events before it has accepted the old ones", async (t) => {
  const { open, add } = startStreams(t, createHistory("x".repeat(20_000)));
  const [slow, quick] = [await open(1n), await open(2n)];
  slow.isStuck = true;
  let sent = 0;
  // 1 MB at once, in two batches, then as much again.
  for (const count of [50, 25, 25]) {
    add(count);
    sent += count;
    await quick.until(() => quick.numbers.length === sent);
    if (sent === 50) slow.accept();
    await nextTick();
  }
  assert.ok(slow.writableLength > 0);
  while (slow.numbers.length < sent) {
    slow.accept();
    await nextTick();
  }
  assert.equal(slow.destroyed, false);
  assert.deepEqual(slow.numbers, range(1, sent));
});

test("A client that reads slowly gets every event once, as old events and as new ones", async (t) => {
  const { open, add, state } = startStreams(t, createHistory("x".repeat(20_000)));
  add(300);
  const [slow, quick] = [await open(1n, ALL, "oldest"), await open(2n)];
  slow.isStuck = true;
  await quick.until(() => quick.text !== "");
  // 10 MB at once: more than a stream may have pending.
  add(500);
  await quick.until(() => quick.numbers.length === 500);
  while (slow.numbers.length < 800) {
    slow.accept();
    await nextTick();
  }
  assert.deepEqual(slow.numbers, range(1, 800));
  assert.deepEqual(quick.numbers, range(301, 800));
  assert.ok(slow.pendingBytesMax <= 1024 * 1024, `${slow.pendingBytesMax} bytes`);
  const limits = state.reads.filter(({ after }) => after < 300n).map(({ limit }) => limit);
  const asked = limits.reduce((sum, limit) => sum + limit, 0);
  assert.ok(asked < 2 * 300, `pages shrink to what a client gets at once: ${limits.join(", ")}`);
  // It follows the new events again.
  slow.accept();
  await nextTick();
  state.reads.length = 0;
  add(1);
  await slow.until(() => slow.numbers.length === 801);
  assert.equal(state.reads.length, 1);
});

test("Nothing is read after the last stream has closed, also for a client that did not read", async (t) => {
  const { open, add, state } = startStreams(t, createHistory("x".repeat(20_000)));
  add(100);
  const client = await open(1n, ALL, "oldest");
  client.isStuck = true;
  const witness = await open(2n);
  add(100);
  await witness.until(() => witness.numbers.length === 100);
  for (const each of [witness, client]) each.destroy();
  for (let tick = 0; tick < 5; tick++) await nextTick();
  state.reads.length = 0;
  add(1);
  for (let tick = 0; tick < 5; tick++) await nextTick();
  assert.deepEqual(state.reads, []);
});

test("A stream that does not start takes no place of its key", async (t) => {
  const { open, streams, state } = startStreams(t);
  const clients = [await open()];
  state.fault = new ServiceError("unavailable");
  for (let each = 0; each < 5; each++) await assert.rejects(open(1n, ALL, "oldest"), isError("unavailable"));
  state.fault = undefined;
  for (let each = 0; each < 5; each++) {
    const gone = new FakeClient();
    gone.destroyed = true;
    await streams.open({ key: keyOf(1n), secret: "1", start: "now", filter: ALL }, () => gone);
    assert.equal(gone.text, "");
  }
  while (clients.length < 5) clients.push(await open());
  await assert.rejects(open(), isError("too_many_streams"));
});

test("New events are read once for all streams, whatever their filters", async (t) => {
  const { open, add, state } = startStreams(t);
  const clients = await Promise.all([1n, 2n, 3n, 4n].map((id) => open(id)));
  const filtered = await open(5n, { types: ["pet.deleted"] });
  await nextTick();
  add(1);
  await Promise.all(clients.map((each) => each.until(() => each.numbers.length === 1)));
  state.reads.length = 0;
  add(3);
  await Promise.all(clients.map((each) => each.until(() => each.numbers.length === 4)));
  assert.deepEqual(column(state.reads, "after"), [1n]);
  assert.deepEqual(filtered.numbers, []);
});

test("A client gets its position after a thousand events that it does not get", async (t) => {
  const { open, add } = startStreams(t);
  const client = await open(1n, { types: ["pet.deleted"] });
  const all = await open(2n);
  await nextTick();
  add(999);
  await all.until(() => all.numbers.length === 999);
  assert.doesNotMatch(client.text, /-999\n/);
  add(1);
  await all.until(() => all.numbers.length === 1_000);
  assert.ok(client.text.endsWith(`id: ${EPOCH}-1000\n\n`), client.text);
});

test("A stream that starts in the past reads pages until the shared events begin, each event once", async (t) => {
  const { open, add, state } = startStreams(t);
  add(350);
  await open(1n);
  const client = await open(2n, ALL, "oldest");
  add(50);
  await client.until(() => client.numbers.length === 400);
  assert.deepEqual(client.numbers, range(1, 400));
  const pages = state.reads.filter(({ after }) => after < 350n);
  assert.ok(pages.length <= 5, `${pages.length} reads of the past`);
});

test("Streams stay open while the database is away, and lose nothing", async (t) => {
  const { open, add, state } = startStreams(t);
  const client = await open();
  await nextTick();
  state.fault = new ServiceError("unavailable");
  add(1);
  while (state.reads.length === 0) await nextTick();
  // A retry without a pause would read again within these ticks.
  for (let tick = 0; tick < 1_000; tick++) await nextTick();
  assert.equal(state.reads.length, 1);
  assert.deepEqual(client.numbers, []);
  state.fault = undefined;
  await client.until(() => client.numbers.length === 1);
  assert.equal(client.isEnded, false);
});

test("A stream that starts after events that the feed has not read yet does not get them", async (t) => {
  const { open, add } = startStreams(t);
  const early = await open(1n);
  await nextTick();
  add(3, "pet.created", false);
  const late = await open(2n);
  await nextTick();
  add(2);
  await late.until(() => late.numbers.length > 0);
  await early.until(() => early.numbers.length === 5);
  assert.deepEqual([early.numbers, late.numbers], [range(1, 5), [4, 5]]);
});

test("A client that gets all events gets no positions besides", async (t) => {
  const { open, add } = startStreams(t);
  const client = await open();
  await nextTick();
  add(1_500);
  await client.until(() => client.numbers.length === 1_500);
  const blocks = client.text.split("\n\n").slice(1, -1);
  assert.deepEqual(
    blocks.filter((block) => !block.includes("\ndata: ")),
    [],
  );
});

test("A key has at most 5 streams and waiting requests, a node 1,000, and each frees its place once", () => {
  const { take, countOf } = createStreamLimits({ metrics: createMetrics() });
  const leaves = range(0, 999).map((each) => take(keyOf(BigInt(each % 200))));
  for (const [key, code] of [
    [keyOf(0n), "too_many_streams"],
    [keyOf(999n), "unavailable"],
  ] as const)
    assert.throws(
      () => take(key),
      (error: ServiceError) => isError(code)(error) && (error.retryAfterSeconds ?? 0) > 0,
    );
  assert.throws(() => take(keyOf(999n)), /1000 open streams and waiting requests/);
  for (let each = 0; each < 2; each++) leaves[0]?.();
  assert.equal(countOf(0n), 4);
  take(keyOf(999n));
  assert.throws(() => take(keyOf(998n)), isError("unavailable"));
});

test("A stream ends after 13 to 17 minutes, not before and not together with others", async (t) => {
  const { open, clock } = startStreams(t);
  // One mock: a second one would take the first for the original, and leave it to later files of this process.
  let random = 0;
  t.mock.method(Math, "random", () => random);
  const openWith = (next: number) => {
    random = next;
    return open();
  };
  const [early, late] = [await openWith(0), await openWith(0.999)];
  clock.advance(60_000);
  const young = await openWith(0);
  t.mock.restoreAll();
  const [earlyEnded, lateEnded] = [once(early, "close"), once(late, "close")];
  clock.advance(12 * 60_000);
  await earlyEnded;
  assert.deepEqual([young.isEnded, late.isEnded], [false, false]);
  clock.advance(4 * 60_000);
  await lateEnded;
});

test("The feed rests nine times as long as a broadcast took, 0.25 s at least and 1 s at most", () => {
  const rests = { 0: 250, 20: 250, 50: 450, 100: 900, 5000: 1_000 };
  for (const [busyMs, rest] of Object.entries(rests)) assert.equal(restAfter(Number(busyMs)), rest);
});

test("All streams end when the store was restored, and new ones start with its new epoch", async (t) => {
  const { open, add, state } = startStreams(t);
  const clients = await Promise.all([open(1n), open(2n)]);
  await nextTick();
  state.epoch = "fedcba9876543210";
  const ended = Promise.all(clients.map((each) => once(each, "close")));
  add(1);
  await ended;
  const client = await open();
  assert.match(client.text, /^retry: 3000\nid: fedcba9876543210-1\n\n/);
  await nextTick();
  add(1);
  await client.until(() => client.numbers.length === 1);
});

const eventOf = (number: number, name: string): StoredEvent => ({
  number: BigInt(number),
  type: "pet.created",
  petId: 1n,
  atMs: 0,
  to: { name, categoryId: 1n, status: "sold" },
});

const MIB = 1024 * 1024;
/** The ring may keep all of a page that is larger, and otherwise between the half and the whole of a limit. */
const RINGS = {
  "4,096 small events": { letters: 1, size: 100, pages: 100, kept: 2_048, eventsMax: 4_096, mib: 8 },
  "8 MiB of large events": { letters: 50_000, size: 7, pages: 60, kept: 60, eventsMax: 175, mib: 8 },
  "the last page, if it is larger": {
    letters: 50_000,
    size: 500,
    pages: 3,
    kept: 500,
    eventsMax: 500,
    mib: 25,
  },
};
for (const [what, { letters, size, pages, kept, eventsMax, mib }] of Object.entries(RINGS))
  test(`The ring keeps ${what}, and forgets older events`, () => {
    const ring = createEventRing({ epoch: EPOCH, number: 10n }, "");
    let end = 10;
    let most = 0;
    for (let page = 0; page < pages; page++) {
      const events = range(end + 1, end + size).map((number) => eventOf(number, "x".repeat(letters)));
      const before = end;
      end += size;
      ring.add({ events, examined: BigInt(end) });
      assert.ok(ring.covers(before) && ring.covers(end) && !ring.covers(end + 1));
      assert.deepEqual(
        ring.after(before).map(({ event }) => event.number),
        events.map(({ number }) => number),
        "none of the last page is missing",
      );
      let first = before;
      while (ring.covers(first - 1)) first -= 1;
      const held = ring.after(first);
      assert.equal(held.length, end - first);
      most = Math.max(most, held.length);
      const bytes = held.reduce((sum, { frame }) => sum + frame.length, 0);
      assert.ok(bytes <= mib * MIB, `${bytes} bytes`);
      assert.ok(held.length <= eventsMax, `${held.length} events`);
      if (end - 10 > kept) assert.ok(held.length >= kept, `only ${held.length} events`);
    }
    assert.ok(most > kept || most === size, "old events are not forgotten at once");
  });
