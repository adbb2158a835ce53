// The newest events in memory, each with its text, which is made once for all streams.

import type { EventPage, StoredEvent } from "../../domain/events/event.ts";
import type { EventCursor } from "../../domain/events/event-cursor.ts";
import { formatEvent } from "./frames.ts";

const EVENTS_MAX = 4_096;
const BYTES_MAX = 8 * 1024 * 1024;

export interface RingEvent {
  event: StoredEvent;
  frame: Buffer;
}

export interface EventRing {
  readonly epoch: string;
  /** The newest number that was added. */
  readonly end: number;
  /** The page must begin after `end` and contain all events; the ring has them at least until the next page. */
  add(page: Pick<EventPage, "events" | "examined">): void;
  /** Whether all events after this number are in the ring. */
  covers(number: number): boolean;
  /** The events after this number, which the ring covers. */
  after(number: number): RingEvent[];
}

export function createEventRing({ epoch, number: first }: EventCursor, publicUrl: string): EventRing {
  let start = Number(first);
  let end = start;
  let bytes = 0;
  let held: RingEvent[] = [];

  /** Many at a time, because the rest has to be moved; but not the last `kept`. */
  function dropOld(kept: number): void {
    if (held.length <= EVENTS_MAX && bytes <= BYTES_MAX) return;
    let dropped = 0;
    const isTooMuch = () => held.length - dropped > EVENTS_MAX / 2 || bytes > BYTES_MAX / 2;
    while (held.length - dropped > kept && isTooMuch()) {
      bytes -= held[dropped]?.frame.length ?? 0;
      dropped += 1;
    }
    held = held.slice(dropped);
    start += dropped;
  }

  return {
    epoch,
    get end() {
      return end;
    },
    add({ events, examined }) {
      for (const event of events) {
        const frame = formatEvent(event, { epoch, publicUrl });
        bytes += frame.length;
        held.push({ event, frame });
      }
      end = Number(examined);
      dropOld(events.length);
    },
    covers: (number) => number >= start && number <= end,
    // Numbers have no gaps.
    after: (number) => held.slice(number - start),
  };
}
