// One open stream: its position, and what is written to its client.

import type { EventFilter } from "../../domain/event.ts";
import { STREAM_PENDING_BYTES_MAX } from "../../domain/request-limits.ts";
import type { Batch } from "./batches.ts";
import { COMMENT, formatMove, formatOpening } from "./frames.ts";

/** The client is told its position after this many events that it does not get. */
const SKIPPED_MAX = 1_000;

/** Of a response. */
export interface StreamClient {
  write(bytes: string | Buffer): unknown;
  end(): unknown;
  on(event: "drain" | "close", listener: () => void): unknown;
  /** Bytes that the client has not accepted. */
  readonly writableLength: number;
  readonly writableNeedDrain: boolean;
  /** Null after the connection has closed. */
  readonly socket: { resetAndDestroy(): unknown } | null;
}

export interface StreamReader {
  readonly epoch: string;
  readonly filter: EventFilter;
  /** Equal for readers that get the same events. */
  readonly filterName: string;
  /** All events up to this number were written, or are not for this client. */
  readonly position: number;
  readonly isOpen: boolean;
  /** Gets new events from the live feed. */
  isLive: boolean;
  /** Whether the client has accepted enough of the events before. */
  hasRoom(batch: Batch): boolean;
  /** Writes events and moves the position. */
  advance(batch: Batch): void;
  /** Writes a comment, so that proxies keep the connection, and the position if it has moved. */
  beat(): void;
  /** Resolves when the client has accepted enough to write more, or has gone. */
  drained(): Promise<void>;
  /** Sends what is pending first. */
  end(): void;
  /** Drops what is pending: its client may never read it. */
  cut(): void;
}

export function createStreamReader(
  client: StreamClient,
  { epoch, filter, start }: { epoch: string; filter: EventFilter; start: number },
): StreamReader {
  let position = start;
  /** The position that the client knows. */
  let told = start;
  let isOpen = true;
  let resume = () => {};
  client.on("drain", () => resume());
  client.on("close", () => {
    isOpen = false;
    resume();
  });

  function write(bytes: string | Buffer): void {
    if (isOpen) client.write(bytes);
  }

  function tellPosition(before = ""): void {
    told = position;
    write(before + formatMove(epoch, position));
  }

  write(formatOpening(epoch, start));
  return {
    epoch,
    filter,
    filterName: [...filter.types, filter.petId, filter.ownerId].join(" "),
    get position() {
      return position;
    },
    get isOpen() {
      return isOpen;
    },
    isLive: false,
    hasRoom: ({ bytes }) => client.writableLength + bytes.length <= STREAM_PENDING_BYTES_MAX,
    advance({ bytes, last, position: to }) {
      position = to;
      if (last !== undefined) {
        told = last;
        write(bytes);
      }
      if (position - told >= SKIPPED_MAX) tellPosition();
    },
    beat() {
      if (position > told) tellPosition(COMMENT);
      else write(COMMENT);
    },
    drained: () =>
      new Promise((resolve) => {
        resume = resolve;
        if (!isOpen || !client.writableNeedDrain) resolve();
      }),
    end() {
      if (isOpen) client.end();
      isOpen = false;
    },
    cut() {
      isOpen = false;
      // After a normal close, the kernel would keep the bytes that it has.
      client.socket?.resetAndDestroy();
    },
  };
}
