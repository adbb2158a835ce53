// One open stream: its position, and what is written to its client.

import { STREAM_PENDING_BYTES_MAX } from "../../domain/basics/request-limits.ts";
import type { EventFilter } from "../../domain/events/event.ts";
import type { Batch } from "./batches.ts";
import { type FeedReader, nameFilter } from "./feed-reader.ts";
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

export function createStreamReader(
  client: StreamClient,
  { epoch, filter, start }: { epoch: string; filter: EventFilter; start: number },
): FeedReader {
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

  function advance({ events, bytes, position: to }: Batch): void {
    position = to;
    const last = events.at(-1);
    if (last !== undefined) {
      told = Number(last.event.number);
      write(bytes);
    }
    if (position - told >= SKIPPED_MAX) tellPosition();
  }

  /** Drops what is pending: its client may never read it. */
  function cut(): void {
    isOpen = false;
    // After a normal close, the kernel would keep the bytes that it has.
    client.socket?.resetAndDestroy();
  }

  write(formatOpening(epoch, start));
  return {
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
      if (client.writableLength + batch.bytes.length > STREAM_PENDING_BYTES_MAX) {
        cut();
        return false;
      }
      advance(batch);
      return true;
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
    /** The client gets what is pending first. */
    end() {
      if (isOpen) client.end();
      isOpen = false;
    },
  };
}
