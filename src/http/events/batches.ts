// Events that a reader gets together, and how many bytes they may have.

import { type EventFilter, type EventPage, isVisible } from "../../domain/events/event.ts";
import type { RingEvent } from "./event-ring.ts";
import { formatEvent } from "./frames.ts";

/** Larger batches are cut: the client has to accept one before it gets the next. One event may be larger. */
const BATCH_BYTES_MAX = 512 * 1024;

export interface Batch {
  events: RingEvent[];
  bytes: Buffer;
  /** The batch has all events up to this number that are for the client. */
  position: number;
}

/** The events of the ring that are for these readers, up to the number `end` of its newest event. */
export function selectBatch(events: RingEvent[], filter: EventFilter, end: number): Batch {
  return cutBatch(
    events.values().filter(({ event }) => isVisible(event, filter)),
    end,
  );
}

export function formatBatch(
  { events, examined }: Pick<EventPage, "events" | "examined">,
  source: { epoch: string; publicUrl: string },
): Batch {
  const formatted = events.values().map((event) => ({ event, frame: formatEvent(event, source) }));
  return cutBatch(formatted, Number(examined));
}

function cutBatch(candidates: Iterable<RingEvent>, end: number): Batch {
  const events: RingEvent[] = [];
  let length = 0;
  let position = end;
  for (const each of candidates) {
    const last = events.at(-1);
    if (last !== undefined && length + each.frame.length > BATCH_BYTES_MAX) {
      position = Number(last.event.number);
      break;
    }
    events.push(each);
    length += each.frame.length;
  }
  return { events, bytes: Buffer.concat(events.map(({ frame }) => frame)), position };
}
