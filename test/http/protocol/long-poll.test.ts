// Requests that wait for events, over a history that the test controls: places, reads of the history, and what ends a wait.

import assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import { test as nodeTest } from "node:test";
import { setImmediate as nextTick } from "node:timers/promises";
import { ServiceError } from "../../../src/domain/basics/errors.ts";
import type { EventFilter } from "../../../src/domain/events/event.ts";
import type { EventStart } from "../../../src/http/events/feed-start.ts";
import { createLongPolls, type PollRequest } from "../../../src/http/events/long-poll.ts";
import {
  ALL,
  createHistory,
  EPOCH,
  followHistory,
  isError,
  keyOf,
  range,
} from "../../harness/servers/event-history.ts";

const WAIT_MS = 60_000;
const DELETED: EventFilter = { types: ["pet.deleted"] };
/** A page that does not come would otherwise hold up the file. */
const test = (title: string, run: () => Promise<void>) => nodeTest(title, { timeout: 30_000 }, run);

function start(history = createHistory()) {
  const { services, readers } = followHistory(history);
  const readOrWait = createLongPolls(services, readers);
  const gone = new AbortController();
  function poll(keyId = 1n, options: Partial<PollRequest> = {}) {
    return readOrWait({
      key: keyOf(keyId),
      secret: String(keyId),
      after: "now",
      filter: ALL,
      limit: 20,
      waitMs: WAIT_MS,
      gone: () => gone.signal,
      ...options,
    });
  }
  /** Resolves when `count` requests of the key wait, and follow the new events. */
  async function waiting(count: number, keyId = 1n) {
    while (readers.limits.countOf(keyId) < count) await nextTick();
    for (let tick = 0; tick < 3; tick++) await nextTick();
  }
  return { ...history, poll, waiting, gone, countOf: readers.limits.countOf };
}

const countTimers = () => process.getActiveResourcesInfo().filter((each) => each === "Timeout").length;

const numbersOf = ({ body }: { body: string }) =>
  JSON.parse(body).map(({ number }: { number: number }) => number);

test("Four hundred waiting requests cost one read per change, whether it is for them or not", async () => {
  const { poll, waiting, add, state } = start();
  const ids = range(1, 400).map((each) => BigInt(each % 80));
  const pages = ids.map((id) => poll(id, { filter: DELETED }));
  await waiting(5, 79n);
  add(1);
  while (state.reads.length === 0) await nextTick();
  for (let tick = 0; tick < 20; tick++) await nextTick();
  assert.equal(state.reads.length, 1);
  add(1, "pet.deleted");
  for (const page of await Promise.all(pages)) {
    assert.deepEqual(numbersOf(page), [2]);
    assert.equal(page.examined, 2n);
  }
  assert.equal(state.reads.length, 2);
});

const ends: Record<string, (scene: ReturnType<typeof start>) => void> = {
  "the client has gone": ({ gone }) => gone.abort(),
  "the service stops": ({ changes }) => changes.end(),
};
for (const [what, end] of Object.entries(ends))
  test(`A wait ends when ${what}, without another read, and frees its place`, async () => {
    const timers = countTimers();
    const scene = start();
    scene.add(7);
    const page = scene.poll();
    await scene.waiting(1);
    scene.state.reads.length = 0;
    end(scene);
    const { body, examined } = await page;
    assert.deepEqual([body, examined], ["[]", 7n]);
    assert.deepEqual([scene.state.reads, scene.countOf(1n)], [[], 0]);
    assert.equal(getEventListeners(scene.gone.signal, "abort").length, 0);
    assert.equal(countTimers(), timers, "the timer of the wait has stopped");
    // Also for a request that comes after that.
    assert.equal((await scene.poll()).body, "[]");
  });

test("A burst is cut at the limit, and the next page has the rest", async () => {
  const { poll, waiting, add } = start();
  const page = poll(1n, { limit: 20 });
  await waiting(1);
  add(30);
  const { examined, ...first } = await page;
  assert.deepEqual([numbersOf(first), examined], [range(1, 20), 20n]);
  const rest = await poll(1n, { after: { epoch: EPOCH, number: examined } });
  assert.deepEqual([numbersOf(rest), rest.examined], [range(21, 30), 30n]);
});

test("A restore between the first read and the wait gets feed_reset too", async () => {
  const { poll, state, events, countOf } = start();
  const { newest } = events;
  // The feed starts after it.
  events.newest = async () => {
    const cursor = await newest();
    state.epoch = "fedcba9876543210";
    return cursor;
  };
  await assert.rejects(poll(), isError("feed_reset"));
  assert.equal(countOf(1n), 0);
});

test("A request stays while the database is away, and gets what happened", async () => {
  const { poll, waiting, add, state } = start();
  const page = poll();
  await waiting(1);
  state.reads.length = 0;
  state.fault = new ServiceError("unavailable");
  add(1);
  while (state.reads.length === 0) await nextTick();
  for (let tick = 0; tick < 3; tick++) await nextTick();
  state.fault = undefined;
  assert.deepEqual(numbersOf(await page), [1]);
});

test("Nothing is read after the last wait has ended", async () => {
  const { poll, waiting, add, state, gone } = start();
  const page = poll();
  await waiting(1);
  gone.abort();
  await page;
  state.reads.length = 0;
  add(1);
  for (let tick = 0; tick < 5; tick++) await nextTick();
  assert.deepEqual(state.reads, []);
});

test("Requests that search a long history read two pages at a time, between other requests", async () => {
  const history = createHistory();
  const { poll, gone } = start(history);
  let [reads, running, together] = [0, 0, 0];
  history.events.newest = async () => ({ epoch: EPOCH, number: 1_000n });
  history.events.read = async (after: Exclude<EventStart, "now">) => {
    reads += 1;
    running += 1;
    together = Math.max(together, running);
    await nextTick();
    running -= 1;
    const from = after === "oldest" ? 0n : after.number;
    return { epoch: EPOCH, after: from, events: [], examined: from + 10n, newest: 1_000n };
  };
  const pages = [poll(1n, { after: "oldest" }), poll(1n, { after: "oldest" }), poll(1n, { after: "oldest" })];
  await nextTick();
  assert.ok(reads <= 3, `${reads} reads before another request`);
  together = 0;
  while (reads < 300) await nextTick();
  gone.abort();
  for (const { body, examined } of await Promise.all(pages))
    assert.deepEqual([body, examined >= 900n], ["[]", true]);
  assert.equal(together, 2);
});
