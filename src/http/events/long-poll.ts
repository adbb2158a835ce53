// Long polling: reads a page of events and, if there is none, waits for one among the streams.

import { type EventFilter, type EventPage, eventJson } from "../../domain/events/event.ts";
import type { FeedReaders, FeedServices } from "./feed-readers.ts";
import type { EventStart } from "./feed-start.ts";
import { PollReader, type RenderedPage } from "./poll-reader.ts";
import type { CheckedStream } from "./stream-checks.ts";

export interface PollRequest extends Pick<CheckedStream, "key" | "secret"> {
  after: EventStart;
  filter: EventFilter;
  limit: number;
  waitMs: number;
  gone: () => AbortSignal;
}

/**
 * Only a request that waits counts as a stream. Throws `feed_reset`; while it waits also `too_many_streams`,
 * `unavailable`, and `invalid_api_key` for a key that is revoked.
 */
export type ReadOrWait = (request: PollRequest) => Promise<RenderedPage>;

type FirstPage = RenderedPage & { isEmpty: boolean };
type Services = Pick<FeedServices, "events" | "changes" | "publicUrl">;

export function createLongPolls({ events, changes, publicUrl }: Services, readers: FeedReaders): ReadOrWait {
  async function readFirst({ after, filter, limit }: PollRequest): Promise<FirstPage> {
    if (after !== "now") return renderPage(await events.read(after, filter, limit), publicUrl());
    // Nothing comes after the newest event.
    const { epoch, number } = await events.newest();
    return { epoch, body: "[]", examined: number, isEmpty: true };
  }

  async function wait(
    { key, secret, filter, limit, ...request }: PollRequest,
    { epoch, examined }: RenderedPage,
    waitMs: number,
  ): Promise<RenderedPage> {
    const leave = readers.limits.take(key);
    const reader = new PollReader({ epoch, filter, start: examined, limit });
    const client = { key, secret, reader, endsAtMs: Number.POSITIVE_INFINITY };
    const end = () => reader.end();
    const timer = setTimeout(end, waitMs);
    const gone = request.gone();
    gone.addEventListener("abort", end);
    try {
      if (gone.aborted || changes.ended.aborted) end();
      else readers.add(client);
      return await reader.page;
    } finally {
      clearTimeout(timer);
      gone.removeEventListener("abort", end);
      readers.remove(client);
      leave();
    }
  }

  return async (request) => {
    const endMs = performance.now() + request.waitMs;
    const { isEmpty, ...first } = await readFirst(request);
    const leftMs = endMs - performance.now();
    return isEmpty && leftMs > 0 ? wait(request, first, leftMs) : first;
  };
}

function renderPage({ epoch, events, examined }: EventPage, publicUrl: string): FirstPage {
  const body = `[${events.map((each) => eventJson(each, { epoch, publicUrl })).join(",")}]`;
  return { epoch, body, examined, isEmpty: events.length === 0 };
}
