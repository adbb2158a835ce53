// All streams and waiting polls of the node: the feed and the timers that they share, and the delivery of new events.

import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import { ServiceError } from "../../domain/basics/errors.ts";
import type { EventStore } from "../../domain/events/event.ts";
import { createSemaphore } from "../../tools/fair-queue.ts";
import { type Repeated, repeat } from "../../tools/repeat.ts";
import type { HttpServices } from "../services.ts";
import { type Batch, selectBatch } from "./batches.ts";
import { type CatchUp, createCatchUp } from "./catch-up.ts";
import type { EventRing } from "./event-ring.ts";
import type { FeedReader } from "./feed-reader.ts";
import { type LiveFeed, startLiveFeed } from "./live-feed.ts";
import { type CheckedStream, checkStreams } from "./stream-checks.ts";
import { createStreamLimits, type StreamLimits } from "./stream-limits.ts";
import { CHECK_MS, HEARTBEAT_MS } from "./stream-timing.ts";

/** Readers of old events share the database with everyone else. */
const READS_AT_A_TIME = 2;
const READ_MS_MAX = 15_000;
const WRITES_PER_TICK = 64;

interface FollowingClient extends CheckedStream {
  reader: FeedReader;
}

export interface FeedReaders {
  limits: StreamLimits;
  /** Reads old events, after the reads of others. */
  read: EventStore["read"];
  /** Delivers all events after the position of the reader, until it ends. */
  add(client: FollowingClient): void;
  /** Required after the end of the reader. */
  remove(client: FollowingClient): void;
}

export type FeedServices = Pick<
  HttpServices,
  "events" | "changes" | "clock" | "gate" | "keyRing" | "log" | "metrics" | "publicUrl" | "timeouts"
>;

export function createFeedReaders(services: FeedServices): FeedReaders {
  const { events, changes, log } = services;
  const clients = new Set<FollowingClient>();
  const enter = createSemaphore(
    READS_AT_A_TIME,
    () => new ServiceError("unavailable", { retryAfterSeconds: 1 }),
  );
  const read: EventStore["read"] = (...request) =>
    enter(performance.now() + READ_MS_MAX, () => events.read(...request));
  const endAll = (fault?: unknown) => {
    for (const { reader } of clients) reader.end(fault);
  };
  changes.ended.addEventListener("abort", () => endAll());
  // Before the change is answered. The timer repeats a check that fails, and finds changes of other nodes.
  changes.onKeyChanged((id) => {
    const ofKey = [...clients].filter(({ key }) => key.id === id);
    return checkStreams(services, ofKey).catch(reportUnchecked(services));
  });
  const feed = createSharedFeed(services, {
    broadcast: (ring) => broadcast(clients, ring, { catchUp, log }),
    endAll,
  });
  const catchUp = createCatchUp(services, { read, getFeed: feed.get });
  const timers = createTimers(services, clients);

  return {
    limits: createStreamLimits(services),
    read,
    add(client) {
      clients.add(client);
      timers.start();
      catchUp(client.reader);
    },
    remove(client) {
      if (!clients.delete(client) || clients.size > 0) return;
      timers.stop();
      feed.stop();
    },
  };
}

/** The live feed runs while there are readers. */
function createSharedFeed(
  services: FeedServices,
  listener: { broadcast(ring: EventRing): Promise<number>; endAll(fault: unknown): void },
) {
  let live: Promise<LiveFeed> | undefined;

  async function start(): Promise<LiveFeed> {
    try {
      return await startLiveFeed(services, {
        broadcast: listener.broadcast,
        reset(fault) {
          live = undefined;
          listener.endAll(fault);
        },
      });
    } catch (error) {
      live = undefined;
      throw error;
    }
  }

  return {
    get: () => (live ??= start()),
    stop(): void {
      void live?.then((feed) => feed.stop()).catch(() => {});
      live = undefined;
    },
  };
}

function createTimers(services: FeedServices, clients: Set<FollowingClient>) {
  const { timeouts } = services;
  let heartbeat: NodeJS.Timeout | undefined;
  let checks: Repeated | undefined;

  function beat(): void {
    for (const { reader } of clients) reader.beat();
  }

  return {
    start(): void {
      heartbeat ??= setInterval(beat, timeouts?.heartbeatMs ?? HEARTBEAT_MS).unref();
      checks ??= repeat(CHECK_MS, () => checkStreams(services, clients), reportUnchecked(services));
    },
    stop(): void {
      clearInterval(heartbeat);
      heartbeat = undefined;
      void checks?.stop();
      checks = undefined;
    },
  };
}

function reportUnchecked({ log }: Pick<FeedServices, "log">) {
  return (err: unknown) => log.warn({ err }, "keys of streams were not checked");
}

/** Sends the new events to the live readers. Resolves to the milliseconds that it took. */
async function broadcast(
  clients: Set<FollowingClient>,
  ring: EventRing,
  { catchUp, log }: { catchUp: CatchUp } & Pick<FeedServices, "log">,
): Promise<number> {
  const batches = new Map<string, Batch>();
  let busyMs = 0;
  let startMs = performance.now();
  let written = 0;
  for (const { key, reader } of clients) {
    if (!reader.isOpen || !reader.isLive || reader.position >= ring.end) continue;
    const name = `${reader.position} ${reader.filterName}`;
    const batch = batches.get(name) ?? selectBatch(ring.after(reader.position), reader.filter, ring.end);
    batches.set(name, batch);
    // The client may connect again, and then catches up from its last event.
    if (!reader.offer(batch)) log.debug({ keyId: String(key.id) }, "a client of a stream reads too slowly");
    if (reader.isOpen && reader.position < ring.end) catchUp(reader);
    written += 1;
    if (written % WRITES_PER_TICK > 0) continue;
    busyMs += performance.now() - startMs;
    await yieldToEventLoop();
    startMs = performance.now();
  }
  return busyMs + performance.now() - startMs;
}
