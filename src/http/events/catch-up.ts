// Brings a reader to the end of the feed: it reads old events at the speed of its client.

import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import { ServiceError } from "../../domain/basics/errors.ts";
import type { EventStore } from "../../domain/events/event.ts";
import type { HttpServices } from "../services.ts";
import { formatBatch, selectBatch } from "./batches.ts";
import type { FeedReader } from "./feed-reader.ts";
import type { LiveFeed } from "./live-feed.ts";

export const EVENTS_PER_READ = 100;

/** Makes the reader live after a while. The server resets the connection of a client that accepts nothing for too long. */
export type CatchUp = (reader: FeedReader) => void;

export function createCatchUp(
  { log, publicUrl }: Pick<HttpServices, "log" | "publicUrl">,
  { read, getFeed }: { read: EventStore["read"]; getFeed: () => Promise<LiveFeed> },
): CatchUp {
  /** Reads old events until the client has accepted them, and the live feed has the rest. */
  async function follow(reader: FeedReader): Promise<void> {
    let limit = EVENTS_PER_READ;
    for (;;) {
      await reader.drained();
      // The feed would be started for a reader that has ended, and never stopped.
      if (!reader.isOpen) return;
      const { ring } = await getFeed();
      if (!reader.isOpen) return;
      if (ring.epoch !== reader.epoch) return reader.end(new ServiceError("feed_reset"));
      if (reader.position >= ring.end) {
        reader.isLive = true;
        return;
      }
      // An animal may have moved to another shelter since the ring got the event of its order.
      if (reader.filter.shelterId === undefined && ring.covers(reader.position)) {
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
    const batch = formatBatch(page, { epoch, publicUrl: publicUrl() });
    reader.advance(batch);
    const written = batch.events.length;
    return written < page.events.length ? written : Math.min(2 * limit, EVENTS_PER_READ);
  }

  return (reader) => {
    reader.isLive = false;
    // The client reads again from its last event.
    follow(reader).catch((err) => {
      log.debug({ err }, "a reader of events has ended");
      reader.end(err);
    });
  };
}
