// All streams and waiting polls of the node: the feed and the timers that they share, and the delivery of new events.

import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import { ServiceError } from "../../domain/basics/errors.ts";
import type { EventStore } from "../../domain/events/event.ts";
import { type Repeated, repeat } from "../../tools/repeat.ts";
import { createTurnstile } from "../../tools/semaphore.ts";
import type { HttpServices } from "../services.ts";
import { type Batch, formatBatch, selectBatch } from "./batches.ts";
import type { EventRing } from "./event-ring.ts";
import type { FeedReader } from "./feed-reader.ts";
import { type LiveFeed, startLiveFeed } from "./live-feed.ts";
import { type CheckedStream, checkStreams } from "./stream-checks.ts";
import { createStreamLimits, type StreamLimits } from "./stream-limits.ts";

const HEARTBEAT_MS = 15_000;
/** A key that was revoked on any node must stop working within a second. */
export const CHECK_MS = 1_000;
export const EVENTS_PER_READ = 100;
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
  const { events, changes, log, timeouts } = services;
  const clients = new Set<FollowingClient>();
  const enter = createTurnstile(
    READS_AT_A_TIME,
    () => new ServiceError("unavailable", { retryAfterSeconds: 1 }),
  );
  let live: Promise<LiveFeed> | undefined;
  let heartbeat: NodeJS.Timeout | undefined;
  let checks: Repeated | undefined;

  const read: EventStore["read"] = (...request) =>
    enter(performance.now() + READ_MS_MAX, () => events.read(...request));

  function stopFeed(): void {
    void live?.then((feed) => feed.stop()).catch(() => {});
    live = undefined;
  }

  function endAll(fault?: unknown): void {
    for (const { reader } of clients) reader.end(fault);
  }
  changes.ended.addEventListener("abort", () => endAll());

  function beat(): void {
    for (const { reader } of clients) reader.beat();
  }

  function getFeed(): Promise<LiveFeed> {
    live ??= startLiveFeed(services, {
      broadcast,
      reset(fault) {
        live = undefined;
        endAll(fault);
      },
    }).catch((error) => {
      live = undefined;
      throw error;
    });
    return live;
  }

  /** Sends the events after `from` to the readers that have everything before them. */
  async function broadcast(ring: EventRing, from: number): Promise<number> {
    const fresh = ring.after(from);
    const batches = new Map<string, Batch>();
    let busyMs = 0;
    let startMs = performance.now();
    let written = 0;
    for (const { key, reader } of clients) {
      if (!reader.isOpen || !reader.isLive || reader.position >= ring.end) continue;
      let batch = reader.position === from ? batches.get(reader.filterName) : undefined;
      if (batch === undefined) {
        const missed = reader.position === from ? fresh : ring.after(reader.position);
        batch = selectBatch(missed, reader.filter, ring.end);
        if (reader.position === from) batches.set(reader.filterName, batch);
      }
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

  /** At the speed of the client. The server resets the connection of one that accepts nothing for too long. */
  function catchUp(reader: FeedReader): void {
    reader.isLive = false;
    // The client reads again from its last event.
    follow(reader).catch((err) => {
      log.debug({ err }, "a reader of events has ended");
      reader.end(err);
    });
  }

  /** Reads old events until the client has accepted them, and the live feed has the rest. */
  async function follow(reader: FeedReader): Promise<void> {
    let limit = EVENTS_PER_READ;
    for (;;) {
      await reader.drained();
      // For a reader that has ended, the feed would be started and never stopped.
      if (!reader.isOpen) return;
      const { ring } = await getFeed();
      if (!reader.isOpen) return;
      if (ring.epoch !== reader.epoch) return reader.end(new ServiceError("feed_reset"));
      if (reader.position >= ring.end) {
        reader.isLive = true;
        return;
      }
      if (ring.covers(reader.position)) {
        reader.advance(selectBatch(ring.after(reader.position), reader.filter, ring.end));
        continue;
      }
      // SQLite answers without giving way to other requests.
      await yieldToEventLoop();
      limit = await advanceByPage(reader, limit);
    }
  }

  /** Resolves to the limit of the next page: what does not fit into a batch has to be read again. */
  async function advanceByPage(reader: FeedReader, limit: number): Promise<number> {
    const { epoch, filter, position } = reader;
    const page = await read({ epoch, number: BigInt(position) }, filter, limit);
    const batch = formatBatch(page, { epoch, publicUrl: services.publicUrl() });
    reader.advance(batch);
    const written = batch.events.length;
    return written < page.events.length ? written : Math.min(2 * limit, EVENTS_PER_READ);
  }

  return {
    limits: createStreamLimits(services),
    read,

    add(client) {
      clients.add(client);
      heartbeat ??= setInterval(beat, timeouts?.heartbeatMs ?? HEARTBEAT_MS).unref();
      checks ??= repeat(
        CHECK_MS,
        () => checkStreams(services, clients),
        (err) => log.warn({ err }, "keys of streams were not checked"),
      );
      catchUp(client.reader);
    },

    remove(client) {
      if (!clients.delete(client) || clients.size > 0) return;
      clearInterval(heartbeat);
      heartbeat = undefined;
      void checks?.stop();
      checks = undefined;
      stopFeed();
    },
  };
}
