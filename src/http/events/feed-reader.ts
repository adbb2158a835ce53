// A reader of the feed on this node: a stream, or a request that waits for events.

import type { EventFilter } from "../../domain/events/event.ts";
import type { Batch } from "./batches.ts";

export interface FeedReader {
  readonly epoch: string;
  readonly filter: EventFilter;
  /** Equal for readers that get the same events. */
  readonly filterName: string;
  /** All events up to this number were delivered, or are not for this client. */
  readonly position: number;
  readonly isOpen: boolean;
  /** Gets new events from the live feed. */
  isLive: boolean;
  /** Delivers old events and moves the position. */
  advance(batch: Batch): void;
  /** The same for new events. False if the client reads too slowly and was disconnected instead. */
  offer(batch: Batch): boolean;
  /** Shows that the connection is alive. */
  beat(): void;
  /** Resolves when the client has accepted enough to get more, or has gone. */
  drained(): Promise<void>;
  /** Ends the response. Readers that have not responded yet respond with `fault` if there is one. */
  end(fault?: unknown): void;
}

export function nameFilter({ types, petId, ownerId }: EventFilter): string {
  return [...types, petId, ownerId].join(" ");
}
