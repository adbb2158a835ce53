// Usage of all nodes: each node counts its responses in memory, and adds them to the store once a minute and at the stop.

import { randomUUID } from "node:crypto";
import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import type { Clock } from "../../domain/basics/clock.ts";
import { MINUTE_MS } from "../../domain/basics/durations.ts";
import { MINUTES_KEPT } from "../../domain/usage/usage-limits.ts";
import {
  NO_KEY,
  type StoredUsage,
  type Usage,
  type UsagePart,
  type UsageStore,
} from "../../domain/usage/usage-store.ts";
import { repeat } from "../../tools/repeat.ts";
import { createUnsentCounts } from "./unsent-counts.ts";

/** A kill loses the counts since the last flush: at most a minute. The spread keeps nodes from writing at the same time. */
const FLUSH_MS = { most: MINUTE_MS, spread: 10_000 };
/** So that requests do not wait long for one transaction. */
const ROWS_PER_PART = 250;

interface UsageOptions {
  store: UsageStore;
  clock: Clock;
  /** Called for the first of failures in a row. The counts are kept. */
  onError: (error: unknown) => void;
  /** Called with the number of responses whose key or operation was not counted, because there were too many. */
  onOverflow: (responses: number) => void;
}

export function createUsage(options: UsageOptions): Usage {
  const { store, clock } = options;
  const unsent = createUnsentCounts();
  const minuteNow = () => Math.floor(clock.nowMs() / MINUTE_MS);
  const sender = startSender(options, unsent, minuteNow);
  const { writer, job } = sender;

  /** Repeated if counts moved from memory to the store during the read: they could be missed or counted twice. */
  async function read<T>(
    readStored: () => Promise<StoredUsage<T>>,
    rowsOf: (part: UsagePart) => T[],
    isInRange: (count: T) => boolean,
  ): Promise<T[]> {
    for (;;) {
      const flush = sender.newestFlush();
      await flush?.catch(() => {});
      const stored = await readStored();
      if (sender.newestFlush() !== flush) continue;
      const inMemory = [unsent.read(), ...sender.listSending(stored.number)];
      return [...stored.counts, ...inMemory.flatMap(rowsOf).filter(isInRange)];
    }
  }

  return {
    count(keyId = NO_KEY, operation, status) {
      unsent.count({ minute: minuteNow(), keyId, operation, status });
    },
    readMinutes: (range) =>
      read(
        () => store.readMinutes(range, writer),
        ({ minutes }) => minutes,
        ({ minute, keyId }) => keyId === range.keyId && minute >= range.first && minute <= range.last,
      ),
    readDays: (range) =>
      read(
        () => store.readDays(range, writer),
        ({ days }) => days,
        ({ day, keyId }) => keyId === range.keyId && day >= range.first && day <= range.last,
      ),
    flush: job.run,
    async close() {
      await job.stop();
      await job.run();
    },
  };
}

/** Moves counts from memory to the store, in numbered parts. */
function startSender(
  { store, clock, onError, onOverflow }: UsageOptions,
  unsent: ReturnType<typeof createUnsentCounts>,
  minuteNow: () => number,
) {
  const writer = randomUUID();
  let number = 0;
  /** It is unknown whether a part that failed was stored, so it is sent again unchanged. */
  let sending: UsagePart | undefined;
  let newestFlush: Promise<void> | undefined;

  async function send(): Promise<void> {
    unsent.forgetMinutesBefore(minuteNow() - MINUTES_KEPT + 1);
    const overflow = unsent.takeOverflow();
    if (overflow > 0) onOverflow(overflow);
    for (;;) {
      if (sending === undefined) {
        sending = unsent.take(ROWS_PER_PART);
        if (sending === undefined) return;
        number += 1;
      }
      await store.add(sending, { writer, number }, clock.nowMs());
      sending = undefined;
      // Requests are served between two parts.
      await yieldToEventLoop();
    }
  }

  const everyMs = FLUSH_MS.most - Math.random() * FLUSH_MS.spread;
  const flush = () => {
    newestFlush = send();
    return newestFlush;
  };
  return {
    writer,
    job: repeat(everyMs, flush, onError),
    /** Also after its end. */
    newestFlush: () => newestFlush,
    /** The part that is being sent, unless it has one of the stored numbers. */
    listSending: (storedNumber: number) => (sending !== undefined && number > storedNumber ? [sending] : []),
  };
}
