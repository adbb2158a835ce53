// Events that are written to a stream together, and how many bytes they may have.

import { type EventFilter, type EventPage, isVisible } from "../../domain/event.ts";
import type { RingEvent } from "./event-ring.ts";
import { formatEvent } from "./frames.ts";

/** Larger batches are cut: the client has to accept one before it gets the next. One event may be larger. */
const BATCH_BYTES_MAX = 512 * 1024;

export interface Batch {
  bytes: Buffer;
  /** The number of its last event; undefined if it has none. */
  last: number | undefined;
  /** It has all events up to this number that are for the client. */
  position: number;
}

/** The events of the ring that are for these streams, up to the number `end` of its newest event. */
export function selectBatch(events: RingEvent[], filter: EventFilter, end: number): Batch {
  const visible = events.values().filter(({ event }) => isVisible(event, filter));
  return joinFrames(
    visible.map(({ event, frame }) => [Number(event.number), frame]),
    end,
  );
}

export function formatBatch(
  { events, examined }: Pick<EventPage, "events" | "examined">,
  source: { epoch: string; publicUrl: string },
): Batch {
  const frames = events.values().map((each) => [Number(each.number), formatEvent(each, source)] as const);
  return joinFrames(frames, Number(examined));
}

function joinFrames(numbered: Iterable<readonly [number: number, frame: Buffer]>, end: number): Batch {
  const frames: Buffer[] = [];
  let length = 0;
  let last: number | undefined;
  for (const [number, frame] of numbered) {
    if (last !== undefined && length + frame.length > BATCH_BYTES_MAX)
      return { bytes: Buffer.concat(frames), last, position: last };
    frames.push(frame);
    length += frame.length;
    last = number;
  }
  return { bytes: Buffer.concat(frames), last, position: end };
}
