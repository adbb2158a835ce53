// A reader of the feed on this node: a stream, or a request that waits for events.

import type { EventFilter } from "../../domain/events/event.ts";
import type { Batch } from "./batches.ts";

export interface ReaderStart {
  epoch: string;
  filter: EventFilter;
  /** The reader gets the events after this number. */
  start: bigint;
}

export abstract class FeedReader {
  readonly epoch: string;
  readonly filter: EventFilter;
  /** Equal for readers that get the same events. */
  readonly filterName: string;
  /** All events up to this number were delivered, or are not for this client. */
  position: number;
  isOpen = true;
  /** Gets new events from the live feed. */
  isLive = false;

  constructor({ epoch, filter, start }: ReaderStart) {
    this.epoch = epoch;
    this.filter = filter;
    this.filterName = [...filter.types, filter.petId, filter.ownerId, filter.shelterId].join(" ");
    this.position = Number(start);
  }

  /** Delivers old events and moves the position. */
  abstract advance(batch: Batch): void;
  /** The same for new events. False if the client reads too slowly and was disconnected instead. */
  abstract offer(batch: Batch): boolean;
  /** Shows that the connection is alive. */
  abstract beat(): void;
  /** Resolves when the client has accepted enough to get more, or has gone. */
  abstract drained(): Promise<void>;
  /** Ends the response. Readers that have not responded yet respond with `fault` if there is one. */
  abstract end(fault?: unknown): void;
}
