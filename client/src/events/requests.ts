// The requests of a follower: the stream, one poll, and the newest position.

import { type Answer, unexpectedAnswer } from "../answer.ts";
import { formatInt64 } from "../int64.ts";
import { nextCursor } from "../link.ts";
import type { Operation } from "../operation.ts";
import { type CallOptions, requireCount, type Settings } from "../options.ts";
import { buildRequest, type ServiceRequest } from "../request.ts";
import type { EventsOptions } from "./options.ts";

const LIST_EVENTS: Operation = { method: "GET", path: "/events", access: "browse", takes: "query" };
const STREAM_EVENTS: Operation = { ...LIST_EVENTS, path: "/events/stream" };

/** The longest `wait` of the service. */
const WAIT_SECONDS = 25;
const PAGE_LIMIT = 100;
const LONGEST_WAIT_MS = 60_000;

export interface FeedRequests {
  /** `after` is sent as a parameter and not as Last-Event-ID, which means the same: a page of another origin may send it. */
  stream(after: string | undefined): ServiceRequest;
  /** Waits for events if `waits`. */
  poll(after: string | undefined, waits: boolean): ServiceRequest;
}

/** Throws a TypeError for options that cannot be sent. */
export function createFeedRequests(
  settings: Settings,
  { types, petId, retries, timeoutMs }: EventsOptions,
  signal: AbortSignal,
): FeedRequests {
  const filter = {
    type: types?.join(","),
    petId: petId === undefined ? undefined : formatInt64(petId, "petId"),
  };
  const limits = {
    retries: retries === undefined ? Number.POSITIVE_INFINITY : requireCount(retries, "retries"),
    longestWaitMs: LONGEST_WAIT_MS,
  };
  const build = (operation: [string, Operation], query: Record<string, unknown>): ServiceRequest => {
    const input = { ids: [], query, body: undefined, options: { signal, timeoutMs } };
    return { ...buildRequest(settings, operation, input), ...limits };
  };
  return {
    stream: (after) => build(["streamEvents", STREAM_EVENTS], { after, ...filter }),
    poll: (after, waits) =>
      build(["listEvents", LIST_EVENTS], {
        after,
        limit: PAGE_LIMIT,
        ...filter,
        ...(waits && { wait: WAIT_SECONDS }),
      }),
  };
}

/** The position after the newest event. */
export async function readLatestCursor(
  settings: Settings,
  send: (request: ServiceRequest) => Promise<Answer>,
  options: CallOptions,
): Promise<string> {
  const input = { ids: [], query: { after: "now", limit: 1 }, body: undefined, options };
  const request = buildRequest(settings, ["listEvents", LIST_EVENTS], input);
  const answer = await send(request);
  const cursor = nextCursor(answer.headers.get("link"), "after");
  if (cursor === undefined) throw unexpectedAnswer(request, answer);
  return cursor;
}
