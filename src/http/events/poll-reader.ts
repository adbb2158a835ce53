// A request that waits for events: its position, and the page that answers it.

import type { EventFilter } from "../../domain/events/event.ts";
import type { Batch } from "./batches.ts";
import { type FeedReader, nameFilter } from "./feed-reader.ts";
import { jsonOf } from "./frames.ts";

/** A page as it is sent. */
export interface RenderedPage {
  epoch: string;
  /** A JSON array. */
  body: string;
  /** Up to this number, no other event matches the filter. */
  examined: bigint;
}

interface PollReader {
  reader: FeedReader;
  /** Resolves with the first events, or empty at the end of the reader; rejects with the fault of the end. */
  page: Promise<RenderedPage>;
}

export function createPollReader({
  epoch,
  filter,
  start,
  limit,
}: {
  epoch: string;
  filter: EventFilter;
  start: bigint;
  limit: number;
}): PollReader {
  let position = Number(start);
  let isOpen = true;
  const { promise: page, resolve, reject } = Promise.withResolvers<RenderedPage>();

  function answer(events: string[]): void {
    isOpen = false;
    resolve({ epoch, body: `[${events.join(",")}]`, examined: BigInt(position) });
  }

  function advance(batch: Batch): void {
    if (!isOpen) return;
    const events = batch.events.slice(0, limit);
    const last = events.at(-1);
    const isCut = events.length < batch.events.length;
    position = isCut && last !== undefined ? Number(last.event.number) : batch.position;
    if (last !== undefined) answer(events.map(({ frame }) => jsonOf(frame)));
  }

  const reader: FeedReader = {
    epoch,
    filter,
    filterName: nameFilter(filter),
    get position() {
      return position;
    },
    get isOpen() {
      return isOpen;
    },
    isLive: false,
    advance,
    offer(batch) {
      advance(batch);
      return true;
    },
    // Its head is not sent yet: nothing can be written before the page.
    beat() {},
    async drained() {},
    end(fault) {
      if (!isOpen) return;
      if (fault === undefined) return answer([]);
      isOpen = false;
      reject(fault);
    },
  };
  return { reader, page };
}
