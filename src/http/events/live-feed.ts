// Reads new events once for all streams and waiting polls of the node, and broadcasts them in batches.

import { setTimeout as pause } from "node:timers/promises";
import { ServiceError } from "../../domain/basics/errors.ts";
import { EVENT_TYPES } from "../../domain/events/event.ts";
import type { HttpServices } from "../services.ts";
import { createEventRing, type EventRing } from "./event-ring.ts";

const ALL = { types: EVENT_TYPES };
const EVENTS_PER_READ = 500;
const WAIT_MS = 60_000;
/** The first change after a quiet time is sent at once, the changes that follow together. */
const GAP_MS = 250;
/** With many readers, a broadcast takes 10 % of the time at most. */
const REST = 9;
const GAP_MS_MAX = 1_000;
const RETRY_MS = 1_000;

export interface LiveFeed {
  readonly ring: EventRing;
  stop(): void;
}

interface Listener {
  /** The ring has new events. Resolves to the milliseconds that it took to send them. */
  broadcast(ring: EventRing): Promise<number>;
  /** The store was restored or copied: all positions are gone. The feed has stopped. The fault is `feed_reset`. */
  reset(fault: ServiceError): void;
}

type Services = Pick<HttpServices, "events" | "changes" | "log" | "publicUrl">;

/** How long to rest after a broadcast that took this long. */
export function restAfter(busyMs: number): number {
  return Math.min(Math.max(GAP_MS, busyMs * REST), GAP_MS_MAX);
}

/** Starts after the newest event. Rejects if the database does not answer. */
export async function startLiveFeed(
  { events, changes, log, publicUrl }: Services,
  { broadcast, reset }: Listener,
): Promise<LiveFeed> {
  const ring = createEventRing(await events.newest(), publicUrl());
  const stopping = new AbortController();
  const { signal } = stopping;

  async function step(): Promise<number> {
    const from = ring.end;
    const page = await events.read({ epoch: ring.epoch, number: BigInt(from) }, ALL, EVENTS_PER_READ);
    if (page.examined <= BigInt(from) || signal.aborted) return GAP_MS;
    ring.add(page);
    return restAfter(await broadcast(ring));
  }

  /** Streams and polls stay open while the database is away. */
  function retryLater(err: unknown): number {
    if (err instanceof ServiceError && err.code === "feed_reset") {
      stopping.abort();
      reset(err);
      return 0;
    }
    log.debug({ err }, "events were not read; will retry");
    return RETRY_MS;
  }

  async function run(): Promise<void> {
    while (!signal.aborted) {
      await changes.wait(BigInt(ring.end), WAIT_MS, signal);
      if (signal.aborted || changes.ended.aborted) return;
      const restMs = await step().catch(retryLater);
      await pause(restMs, undefined, { signal, ref: false }).catch(() => {});
    }
  }

  void run();
  return { ring, stop: () => stopping.abort() };
}
