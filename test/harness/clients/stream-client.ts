// Streams over a history in memory, with clients that the test controls.

import { EventEmitter, once } from "node:events";
import type { TestContext } from "node:test";
import type { EventFilter } from "../../../src/domain/events/event.ts";
import { createEventStreams } from "../../../src/http/events/event-streams.ts";
import type { EventStart } from "../../../src/http/events/feed-start.ts";
import type { StreamClient } from "../../../src/http/events/stream-reader.ts";
import { ALL, createHistory, followHistory, keyOf } from "../servers/event-history.ts";

/** A response whose client reads everything; after `isStuck`, only with `accept`. */
export class FakeClient extends EventEmitter implements StreamClient {
  text = "";
  /** Numbers of the events. */
  numbers: number[] = [];
  isStuck = false;
  pendingBytesMax = 0;
  isEnded = false;
  destroyed = false;
  writableLength = 0;
  socket = { resetAndDestroy: () => this.destroy() };
  get writableNeedDrain() {
    return this.writableLength > 0;
  }
  write(bytes: string | Buffer) {
    this.text += bytes;
    for (const [, number] of String(bytes).matchAll(/^data: \{"id":"[^"]*","number":(\d+)/gm))
      this.numbers.push(Number(number));
    if (this.isStuck) this.writableLength += bytes.length;
    this.pendingBytesMax = Math.max(this.pendingBytesMax, this.writableLength);
    this.emit("written");
  }
  /** Reads all that waits. */
  accept() {
    this.writableLength = 0;
    this.emit("drain");
  }
  end() {
    this.isEnded = true;
    this.emit("close");
  }
  destroy() {
    this.destroyed = true;
    this.emit("close");
  }
  async until(isDone: () => boolean) {
    while (!isDone()) await once(this, "written");
  }
}

/** Streams are closed with the test. */
export function startStreams(t: TestContext, history = createHistory()) {
  const { services, readers } = followHistory(history);
  const streams = createEventStreams(services, readers);
  async function open(keyId = 1n, filter: EventFilter = ALL, start: EventStart = "now") {
    const client = new FakeClient();
    t.after(() => client.destroy());
    await streams.open({ key: keyOf(keyId), secret: String(keyId), start, filter }, () => client);
    return client;
  }
  return { ...history, clock: services.clock, open, streams };
}
