// Reads new events once for all streams of the node, and tells them in batches.

import { setTimeout as pause } from "node:timers/promises";
import { ServiceError } from "../../domain/errors.ts";
import { EVENT_TYPES } from "../../domain/event.ts";
import type { HttpServices } from "../services.ts";
import { createEventRing, type EventRing } from "./event-ring.ts";

const ALL = { types: EVENT_TYPES };
const EVENTS_PER_READ = 500;
const WAIT_MS = 60_000;
/** The first change after a quiet time is told at once, those that follow together. */
const GAP_MS = 250;
/** With many streams, telling them takes a tenth of the time at most. */
const REST = 9;
const GAP_MS_MAX = 1_000;
const RETRY_MS = 1_000;

export interface LiveFeed {
  readonly ring: EventRing;
  stop(): void;
}

interface Listener {
  /** The ring has events behind `from`. Resolves to the milliseconds that it took to tell them. */
  tell(ring: EventRing, from: number): Promise<number>;
  /** The store was restored or copied: all positions are gone. The feed has stopped. */
  reset(): void;
}

type Services = Pick<HttpServices, "events" | "changes" | "log" | "publicUrl">;

/** Starts behind the newest event. Rejects if the database does not answer. */
export async function startLiveFeed(
  { events, changes, log, publicUrl }: Services,
  { tell, reset }: Listener,
): Promise<LiveFeed> {
  const ring = createEventRing(await events.newest(), publicUrl());
  const stopping = new AbortController();
  const { signal } = stopping;

  /** Resolves to the time to rest. */
  async function step(): Promise<number> {
    const from = ring.end;
    const page = await events.read({ epoch: ring.epoch, number: BigInt(from) }, ALL, EVENTS_PER_READ);
    if (page.examined <= BigInt(from) || signal.aborted) return GAP_MS;
    ring.add(page);
    return Math.min(Math.max(GAP_MS, (await tell(ring, from)) * REST), GAP_MS_MAX);
  }

  /** The streams stay open while the database is away. */
  function retryLater(err: unknown): number {
    if (err instanceof ServiceError && err.code === "feed_reset") {
      stopping.abort();
      reset();
      return 0;
    }
    log.debug({ err }, "events were not read; will retry");
    return RETRY_MS;
  }

  async function run(): Promise<void> {
    while (!signal.aborted) {
      await changes.wait(BigInt(ring.end), WAIT_MS, signal);
      if (signal.aborted) return;
      const restMs = await step().catch(retryLater);
      await pause(restMs, undefined, { signal, ref: false }).catch(() => {});
    }
  }

  void run();
  return { ring, stop: () => stopping.abort() };
}
