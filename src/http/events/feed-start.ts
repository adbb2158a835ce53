// Reads the position at which a reader of events starts, and links to the start of the feed if that position is gone.

import type { FastifyReply } from "fastify";
import { ServiceError } from "../../domain/basics/errors.ts";
import { type EventCursor, parseEventCursor } from "../../domain/events/event-cursor.ts";

export type EventStart = EventCursor | "oldest" | "now";

/** Throws `invalid_cursor`. */
export function parseStart(after: string | undefined): EventStart {
  if (after === undefined) return "oldest";
  return after === "now" ? after : parseEventCursor(after);
}

/** Runs `read`; a response with `feed_reset` links to the start of the feed. */
export async function linkOnReset<T>(
  reply: FastifyReply,
  feedUrl: string,
  read: () => Promise<T>,
): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof ServiceError && error.code === "feed_reset")
      reply.header("link", `<${feedUrl}>; rel="first"`);
    throw error;
  }
}
