// The feed as an async iterable: one loop at a time, and the connection is closed when the loop ends.

import { requireMs, type Settings } from "../options.ts";
import type { Sender } from "../send.ts";
import type { Event } from "./event.ts";
import { follow } from "./follow.ts";
import type { EventFeed, EventsOptions } from "./options.ts";
import { createPosition } from "./position.ts";
import { createFeedRequests } from "./requests.ts";

/** Three comments of the service. */
const IDLE_TIMEOUT_MS = 45_000;

/** Throws a TypeError for options that cannot work. */
export function createEventFeed(settings: Settings, sender: Sender, options: EventsOptions): EventFeed {
  const idleTimeoutMs = requireMs(options.idleTimeoutMs ?? IDLE_TIMEOUT_MS, "idleTimeoutMs");
  // Built once more for each loop; here it finds options that cannot be sent.
  createFeedRequests(settings, options, new AbortController().signal).stream(options.after);
  const position = createPosition(options.after);
  let isRunning = false;

  async function* run(ending: AbortController): AsyncGenerator<Event, void, undefined> {
    if (isRunning) throw new TypeError("This feed is already being read. Call client.events again.");
    isRunning = true;
    const { signal } = options;
    const end = () => ending.abort(signal?.reason);
    signal?.addEventListener("abort", end, { once: true });
    try {
      signal?.throwIfAborted();
      const { after, retries } = options;
      const requests = createFeedRequests(settings, options, ending.signal);
      yield* follow({ settings, sender, requests, position, after, retries, idleTimeoutMs });
    } finally {
      signal?.removeEventListener("abort", end);
      isRunning = false;
    }
  }

  return {
    get cursor() {
      return position.cursor;
    },
    [Symbol.asyncIterator]() {
      const ending = new AbortController();
      const running = run(ending);
      let isLeft = false;
      const done = { done: true, value: undefined } as const;
      return {
        // After `return`, a pending `next` is not an error of the caller.
        next: () => running.next().catch((error: unknown) => (isLeft ? done : Promise.reject(error))),
        async return() {
          isLeft = true;
          // A generator alone would wait for the next event before it ends.
          ending.abort();
          await running.return();
          return done;
        },
      };
    },
  };
}
