// One open stream: its position, and what is written to its client.

import { STREAM_PENDING_BYTES_MAX } from "../../domain/basics/request-limits.ts";
import type { Batch } from "./batches.ts";
import { FeedReader, type ReaderStart } from "./feed-reader.ts";
import { COMMENT, formatMove, formatOpening } from "./frames.ts";

/** The client gets its position after this many events that it does not get. */
const SKIPPED_MAX = 1_000;

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

export class StreamReader extends FeedReader {
  readonly #client: StreamClient;
  /** The position that the client knows. */
  #sentPosition: number;
  #resume = () => {};

  constructor(client: StreamClient, options: ReaderStart) {
    super(options);
    this.#client = client;
    this.#sentPosition = this.position;
    client.on("drain", () => this.#resume());
    client.on("close", () => {
      this.isOpen = false;
      this.#resume();
    });
    this.#write(formatOpening(this.epoch, this.position));
  }

  advance({ events, bytes, position }: Batch): void {
    this.position = position;
    const last = events.at(-1);
    if (last !== undefined) {
      this.#sentPosition = Number(last.event.number);
      this.#write(bytes);
    }
    if (position - this.#sentPosition >= SKIPPED_MAX) this.#sendPosition();
  }

  offer(batch: Batch): boolean {
    if (this.#client.writableLength + batch.bytes.length > STREAM_PENDING_BYTES_MAX) {
      this.isOpen = false;
      // Drops the pending bytes, which the client may never read. After a normal close, the kernel would keep them.
      this.#client.socket?.resetAndDestroy();
      return false;
    }
    this.advance(batch);
    return true;
  }

  beat(): void {
    if (this.position > this.#sentPosition) this.#sendPosition(COMMENT);
    else this.#write(COMMENT);
  }

  drained(): Promise<void> {
    return new Promise((resolve) => {
      this.#resume = resolve;
      if (!this.isOpen || !this.#client.writableNeedDrain) resolve();
    });
  }

  /** The client gets the pending bytes first. */
  end(): void {
    if (this.isOpen) this.#client.end();
    this.isOpen = false;
  }

  #write(bytes: string | Buffer): void {
    if (this.isOpen) this.#client.write(bytes);
  }

  #sendPosition(before = ""): void {
    this.#sentPosition = this.position;
    this.#write(before + formatMove(this.epoch, this.position));
  }
}
