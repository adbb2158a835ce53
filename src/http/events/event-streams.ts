// All open streams of the node: their common timers, and the delivery of new events.

import { setImmediate as nextEventLoopTick } from "node:timers/promises";
import { ServiceError } from "../../domain/errors.ts";
import type { EventFilter, EventPage, EventStore } from "../../domain/event.ts";
import type { ApiKey } from "../../domain/keys/api-key.ts";
import { type Repeated, repeat } from "../../tools/repeat.ts";
import { createTurnstile } from "../../tools/turnstile.ts";
import type { HttpServices } from "../services.ts";
import { type Batch, formatBatch, selectBatch } from "./batches.ts";
import type { EventStart } from "./cursor-of-request.ts";
import type { EventRing } from "./event-ring.ts";
import { type LiveFeed, startLiveFeed } from "./live-feed.ts";
import { type CheckedStream, checkStreams } from "./stream-checks.ts";
import { createStreamLimits } from "./stream-limits.ts";
import { createStreamReader, type StreamClient, type StreamReader } from "./stream-reader.ts";

const HEARTBEAT_MS = 15_000;
/** A key that was revoked on any node must stop working within a second. */
const CHECK_MS = 1_000;
/** 13 to 17 minutes, so that streams that were opened together do not end together. */
const LIFETIME_MS = { least: 13 * 60_000, spread: 4 * 60_000 - 2 * CHECK_MS };
const EVENTS_PER_READ = 100;
/** Readers of old events share the database with everyone else. */
const READS_AT_A_TIME = 2;
const READ_MS_MAX = 15_000;
const WRITES_PER_TICK = 64;

interface StreamRequest extends Pick<CheckedStream, "key" | "secret"> {
  start: EventStart;
  filter: EventFilter;
}

interface OpenStream extends CheckedStream {
  reader: StreamReader;
}

export interface EventStreams {
  /**
   * `respond` sends the head of the response; it is called when the stream is certain to start. Throws `too_many_streams`,
   * `unavailable`, `feed_reset`.
   */
  open(request: StreamRequest, respond: () => StreamClient & { readonly destroyed: boolean }): Promise<void>;
  /** Throws as `open` does, and opens nothing. */
  check(request: StreamRequest): Promise<void>;
  /** The open streams of a key on this node. */
  countOf(keyId: bigint): number;
}

type Services = Pick<
  HttpServices,
  "events" | "changes" | "clock" | "gate" | "keyRing" | "log" | "metrics" | "publicUrl" | "timeouts"
>;

export function createEventStreams(services: Services): EventStreams {
  const { events, changes, clock, log, timeouts } = services;
  const streams = new Set<OpenStream>();
  const limits = createStreamLimits(services);
  const enter = createTurnstile(
    READS_AT_A_TIME,
    () => new ServiceError("unavailable", { retryAfterSeconds: 1 }),
  );
  let live: Promise<LiveFeed> | undefined;
  let heartbeat: NodeJS.Timeout | undefined;
  let checks: Repeated | undefined;

  const readEvents: EventStore["read"] = (...request) =>
    enter(performance.now() + READ_MS_MAX, () => events.read(...request));

  async function readFirst({
    start,
    filter,
  }: StreamRequest): Promise<Pick<EventPage, "epoch" | "after"> & Partial<EventPage>> {
    if (start !== "now") return readEvents(start, filter, EVENTS_PER_READ);
    const { epoch, number } = await events.newest();
    return { epoch, after: number };
  }

  function add(stream: OpenStream): void {
    streams.add(stream);
    heartbeat ??= setInterval(beat, timeouts?.heartbeatMs ?? HEARTBEAT_MS).unref();
    checks ??= repeat(
      CHECK_MS,
      () => checkStreams(services, streams),
      (err) => log.warn({ err }, "keys of streams were not checked"),
    );
  }

  function remove(stream: OpenStream): void {
    if (!streams.delete(stream)) return;
    limits.count(stream.key, -1);
    if (streams.size > 0) return;
    clearInterval(heartbeat);
    heartbeat = undefined;
    void checks?.stop();
    checks = undefined;
    stopFeed();
  }

  function stopFeed(): void {
    void live?.then((feed) => feed.stop()).catch(() => {});
    live = undefined;
  }

  function endAll(): void {
    for (const { reader } of streams) reader.end();
  }
  changes.ended.addEventListener("abort", endAll);

  function beat(): void {
    for (const { reader } of streams) reader.beat();
  }

  function getFeed(): Promise<LiveFeed> {
    live ??= startLiveFeed(services, {
      tell,
      reset() {
        live = undefined;
        endAll();
      },
    }).catch((error) => {
      live = undefined;
      throw error;
    });
    return live;
  }

  /** Sends what is behind `from` to the streams that have everything before it. */
  async function tell(ring: EventRing, from: number): Promise<number> {
    const fresh = ring.after(from);
    const batches = new Map<string, Batch>();
    let busyMs = 0;
    let startMs = performance.now();
    let written = 0;
    for (const { key, reader } of streams) {
      if (!reader.isOpen || !reader.isLive || reader.position >= ring.end) continue;
      let batch = reader.position === from ? batches.get(reader.filterName) : undefined;
      if (batch === undefined) {
        const missed = reader.position === from ? fresh : ring.after(reader.position);
        batch = selectBatch(missed, reader.filter, ring.end);
        if (reader.position === from) batches.set(reader.filterName, batch);
      }
      if (reader.hasRoom(batch)) reader.advance(batch);
      else cut(key, reader);
      if (reader.isOpen && reader.position < ring.end) catchUp(reader);
      written += 1;
      if (written % WRITES_PER_TICK > 0) continue;
      busyMs += performance.now() - startMs;
      await nextEventLoopTick();
      startMs = performance.now();
    }
    return busyMs + performance.now() - startMs;
  }

  /** The client may connect again, and then catches up from its last event. */
  function cut(key: ApiKey, reader: StreamReader): void {
    log.debug({ keyId: String(key.id) }, "a client of a stream reads too slowly");
    reader.cut();
  }

  /** At the speed of the client. The server resets the connection of one that accepts nothing for too long. */
  function catchUp(reader: StreamReader): void {
    reader.isLive = false;
    // The client reads again from its last event.
    follow(reader).catch((err) => {
      log.debug({ err }, "a stream has ended");
      reader.end();
    });
  }

  /** Reads old events until the client has accepted them, and the live feed has the rest. */
  async function follow(reader: StreamReader): Promise<void> {
    let limit = EVENTS_PER_READ;
    for (;;) {
      await reader.drained();
      // For a stream that has closed, the feed would be started and never stopped.
      if (!reader.isOpen) return;
      const { ring } = await getFeed();
      if (!reader.isOpen) return;
      if (ring.epoch !== reader.epoch) return reader.end();
      if (reader.position >= ring.end) {
        reader.isLive = true;
        return;
      }
      if (ring.covers(reader.position)) {
        reader.advance(selectBatch(ring.after(reader.position), reader.filter, ring.end));
        continue;
      }
      // SQLite answers without giving way to other requests.
      await nextEventLoopTick();
      const cursor = { epoch: reader.epoch, number: BigInt(reader.position) };
      limit = writePage(reader, await readEvents(cursor, reader.filter, limit), limit);
    }
  }

  /** Gives the limit of the next page: what does not fit into a batch has to be read again. */
  function writePage(
    reader: StreamReader,
    page: Pick<EventPage, "events" | "examined">,
    limit = EVENTS_PER_READ,
  ): number {
    const batch = formatBatch(page, { epoch: reader.epoch, publicUrl: services.publicUrl() });
    reader.advance(batch);
    const written = page.events.filter(({ number }) => Number(number) <= batch.position).length;
    return written < page.events.length ? written : Math.min(2 * limit, EVENTS_PER_READ);
  }

  return {
    async open(request, respond) {
      const { key, secret, filter } = request;
      limits.requireRoom(key);
      limits.count(key, 1);
      const first = await readFirst(request).catch((error) => {
        limits.count(key, -1);
        throw error;
      });
      const client = respond();
      if (client.destroyed) return limits.count(key, -1);
      const reader = createStreamReader(client, { epoch: first.epoch, filter, start: Number(first.after) });
      const lifetimeMs = LIFETIME_MS.least + Math.random() * LIFETIME_MS.spread;
      const stream = { key, secret, reader, endsAtMs: clock.monotonicMs() + lifetimeMs };
      add(stream);
      client.on("close", () => remove(stream));
      // EventSource gives up after an error, but connects again after the end of a stream.
      if (changes.ended.aborted) return reader.end();
      const { events: page, examined } = first;
      if (page !== undefined && examined !== undefined) writePage(reader, { events: page, examined });
      catchUp(reader);
    },

    async check(request) {
      limits.requireRoom(request.key);
      await readFirst(request);
    },

    countOf: limits.countOf,
  };
}
