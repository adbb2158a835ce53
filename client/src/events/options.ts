// The options of `client.events`, and its result.

import type { Int64 } from "../int64.ts";
import type { Event, EventType } from "./event.ts";

/**
 * The options of `client.events`.
 *
 * @example
 * const options: EventsOptions = { after: "now", types: ["pet.*", "order.created"], petId: 1 };
 * for await (const event of client.events(options)) console.log(event.type);
 */
export interface EventsOptions {
  /** A `cursor`, or `now`. Default: the oldest event that the service keeps. */
  after?: string | undefined;
  /** Default: all types. */
  types?: ReadonlyArray<EventType | `${"pet" | "order" | "category" | "listing" | "shelter"}.*`> | undefined;
  /** Only events of this animal and its orders. */
  petId?: Int64 | undefined;
  /** Closes the connection; the loop throws the reason of the signal. */
  signal?: AbortSignal | undefined;
  /** Limits the wait for the first line of the stream, and for a response. Default: the timeout of the client. */
  timeoutMs?: number | undefined;
  /** A stream without a line for this time is opened again; the service sends one every 15 seconds. Default: 45 seconds. */
  idleTimeoutMs?: number | undefined;
  /** Failed attempts in a row before the loop throws. Default: no limit. */
  retries?: number | undefined;
}

/**
 * The events, oldest first, each one once. The loop ends only with `break`, `signal` or an error. The connection is made
 * when the loop starts; a later loop over the same feed continues at `cursor`. Only one loop at a time.
 *
 * @example
 * const feed: EventFeed = client.events({ after: "now" });
 * for await (const event of feed) {
 *   console.log(event.type);
 *   console.log(`Next time, start with after: ${feed.cursor}`);
 * }
 */
export interface EventFeed extends AsyncIterable<Event> {
  /**
   * In the loop body: the position directly after the event. While the loop waits: after all events that were examined,
   * including those that the filter left out. Pass it as `after` to continue from here, also in another process.
   * Undefined until the service has said where the feed begins.
   */
  readonly cursor: string | undefined;
}
