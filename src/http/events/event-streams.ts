// Opens streams of events.

import type { EventFilter, EventPage } from "../../domain/events/event.ts";
import { formatBatch } from "./batches.ts";
import { EVENTS_PER_READ } from "./catch-up.ts";
import type { FeedReaders, FeedServices } from "./feed-readers.ts";
import type { EventStart } from "./feed-start.ts";
import type { CheckedStream } from "./stream-checks.ts";
import { type StreamClient, StreamReader } from "./stream-reader.ts";
import { LIFETIME_MS } from "./stream-timing.ts";

interface StreamRequest extends Pick<CheckedStream, "key" | "secret"> {
  start: EventStart;
  filter: EventFilter;
}

export interface EventStreams {
  /**
   * `respond` sends the head of the response; it is called when the stream is certain to start. Throws `too_many_streams`,
   * `unavailable`, `feed_reset`.
   */
  open(request: StreamRequest, respond: () => StreamClient & { readonly destroyed: boolean }): Promise<void>;
  /** Throws as `open` does, and opens nothing. */
  check(request: StreamRequest): Promise<void>;
}

export function createEventStreams(services: FeedServices, readers: FeedReaders): EventStreams {
  const { events, changes, clock, publicUrl } = services;
  const { limits } = readers;

  type FirstPage = Pick<EventPage, "epoch" | "after"> & Partial<EventPage>;

  async function readFirst({ start, filter }: StreamRequest): Promise<FirstPage> {
    if (start !== "now") return readers.read(start, filter, EVENTS_PER_READ);
    const { epoch, number } = await events.newest();
    return { epoch, after: number };
  }

  return {
    async open(request, respond) {
      const { key, secret, filter } = request;
      const leave = limits.take(key);
      const first = await readFirst(request).catch((error) => {
        leave();
        throw error;
      });
      const client = respond();
      if (client.destroyed) return leave();
      const { epoch, after, events: page, examined } = first;
      const reader = new StreamReader(client, { epoch, filter, start: after });
      const lifetimeMs = LIFETIME_MS.least + Math.random() * LIFETIME_MS.spread;
      const stream = { key, secret, reader, endsAtMs: clock.monotonicMs() + lifetimeMs };
      client.on("close", () => {
        readers.remove(stream);
        leave();
      });
      // EventSource gives up after an error, but connects again after the end of a stream.
      if (changes.ended.aborted) return reader.end();
      if (page !== undefined && examined !== undefined)
        reader.advance(formatBatch({ events: page, examined }, { epoch, publicUrl: publicUrl() }));
      readers.add(stream);
    },

    async check(request) {
      limits.take(request.key)();
      await readFirst(request);
    },
  };
}
