// A request that waits for events: its position, and the page that answers it.

import type { Batch } from "./batches.ts";
import { FeedReader, type ReaderStart } from "./feed-reader.ts";
import { jsonOf } from "./frames.ts";

export interface RenderedPage {
  epoch: string;
  /** A JSON array. */
  body: string;
  /** Up to this number, no other event matches the filter. */
  examined: bigint;
}

export class PollReader extends FeedReader {
  readonly #limit: number;
  readonly #answer = Promise.withResolvers<RenderedPage>();

  constructor(options: ReaderStart & { limit: number }) {
    super(options);
    this.#limit = options.limit;
  }

  /** Resolves with the first events, or empty at the end of the reader; rejects with the fault of the end. */
  get page(): Promise<RenderedPage> {
    return this.#answer.promise;
  }

  advance(batch: Batch): void {
    if (!this.isOpen) return;
    const events = batch.events.slice(0, this.#limit);
    const last = events.at(-1);
    const isCut = events.length < batch.events.length;
    this.position = isCut && last !== undefined ? Number(last.event.number) : batch.position;
    if (last !== undefined) this.#respond(events.map(({ frame }) => jsonOf(frame)));
  }

  offer(batch: Batch): true {
    this.advance(batch);
    return true;
  }

  /** Its head is not sent yet: nothing can be written before the page. */
  beat(): void {}

  async drained(): Promise<void> {}

  end(fault?: unknown): void {
    if (this.isOpen && fault === undefined) this.#respond([]);
    this.isOpen = false;
    this.#answer.reject(fault);
  }

  #respond(events: string[]): void {
    this.isOpen = false;
    const { epoch, position } = this;
    this.#answer.resolve({ epoch, body: `[${events.join(",")}]`, examined: BigInt(position) });
  }
}
