// Long polling: reads a page of events and, if there is none, waits for one.

import { setImmediate as nextEventLoopTick } from "node:timers/promises";
import type { EventCursor, EventFilter, EventPage } from "../../domain/event.ts";
import type { HttpServices } from "../services.ts";

export interface EventRequest {
  after: EventCursor | "oldest" | "now";
  filter: EventFilter;
  limit: number;
  waitMs: number;
  /** Aborted when the client has gone. */
  until: AbortSignal;
}

/** Throws `feed_reset`. */
export async function readOrWait(
  { events, changes }: Pick<HttpServices, "events" | "changes">,
  { after, filter, limit, waitMs, until }: EventRequest,
): Promise<Pick<EventPage, "epoch" | "events" | "examined">> {
  const endMs = performance.now() + waitMs;
  const isOver = () => performance.now() >= endMs || until.aborted || changes.ended.aborted;
  let cursor = after === "now" ? await events.newest() : after;
  // Nothing comes after the newest event, unless the caller waits for it.
  if (after === "now" && typeof cursor === "object" && waitMs === 0)
    return { epoch: cursor.epoch, events: [], examined: cursor.number };
  for (;;) {
    const page = await events.read(cursor, filter, limit);
    if (page.events.length > 0 || isOver()) return page;
    cursor = { epoch: page.epoch, number: page.examined };
    if (page.examined >= page.newest) await changes.wait(page.examined, endMs - performance.now(), until);
    // SQLite answers without giving way to other requests.
    else await nextEventLoopTick();
  }
}
