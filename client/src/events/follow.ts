// Follows the feed for as long as the caller wants.
//
//            NoStream: 404, 405, 406, another media type, no first line in time
//   stream ───────────────────────────────────────────────────────────────────▶ poll
//     │ ▲  ◀─────────────────────────────────────────────────────────────────── │ ▲
//     └─┘                            after POLLS_FOR_MS                         └─┘
//   ended, cut or silent: waits, opens again                             reads the next page
//
// The sender retries the opening of a stream and each poll. Errors that a retry cannot help end the loop.

import { unexpectedAnswer } from "../answer.ts";
import { type AnimalStoreError, ConnectionError } from "../errors.ts";
import { connectionFailed } from "../exchange.ts";
import { parseJson } from "../json.ts";
import { nextCursor } from "../link.ts";
import type { Settings } from "../options.ts";
import type { ServiceRequest } from "../request.ts";
import type { Sender } from "../send.ts";
import type { Event } from "./event.ts";
import type { EventsOptions } from "./options.ts";
import { createParser } from "./parser.ts";
import type { Position, Source } from "./position.ts";
import { reconnectWaitMs } from "./reconnect.ts";
import type { FeedRequests } from "./requests.ts";
import { NoStream, readStream } from "./stream.ts";

type Events = AsyncGenerator<Event, void, undefined>;

/** About the life of one stream. */
const POLLS_FOR_MS = 15 * 60_000;
/** A service that answers an empty page sooner has not waited. */
const SOON_MS = 1_000;

interface Follower extends Pick<EventsOptions, "after" | "retries"> {
  settings: Settings;
  sender: Sender;
  requests: FeedRequests;
  position: Position;
  idleTimeoutMs: number;
}

/** Yields each event once. Throws an AnimalStoreError, or the reason of the signal of its requests. */
export async function* follow(follower: Follower): Events {
  const { settings } = follower;
  const { stream, poll } = createReads(follower);
  for (;;) {
    try {
      yield* stream();
    } catch (error) {
      if (!(error instanceof NoStream)) throw error;
      const startMs = settings.nowMs();
      // A clock that was set back must not prolong it.
      for (let ageMs = 0; ageMs >= 0 && ageMs < POLLS_FOR_MS; ageMs = settings.nowMs() - startMs)
        yield* poll();
    }
  }
}

/** One stream, and one poll: each ends when it must be repeated. */
function createReads(follower: Follower) {
  const { settings, sender, requests, position, after, idleTimeoutMs } = follower;
  const patience = createPatience(follower);

  function* pass(event: unknown, source: Source): Generator<Event, void, undefined> {
    if (position.passEvent(event, source)) yield event as Event;
  }

  async function* stream(): Events {
    const request = requests.stream(position.cursor ?? after);
    const connection = await sender.open(request);
    const source = { request, response: connection.response };
    const before = { cursor: position.cursor, nowMs: settings.nowMs() };
    const parser = createParser();
    let failure = connectionFailed(request, new Error("The service has ended the stream."));
    try {
      const bounds = { firstLineMs: request.timeoutMs, idleTimeoutMs };
      for await (const { id, data } of readStream(request, connection, bounds, parser)) {
        if (data !== undefined) yield* pass(parseData(data, source), source);
        else if (id !== undefined) position.moveTo(id, source);
      }
    } catch (error) {
      if (!(error instanceof ConnectionError)) throw error;
      failure = error;
    } finally {
      connection.close();
    }
    const hasLasted = settings.nowMs() - before.nowMs >= idleTimeoutMs;
    patience.count(hasLasted || position.cursor !== before.cursor);
    await patience.wait(failure, request, parser.retryMs);
  }

  async function* poll(): Events {
    const before = { cursor: position.cursor, nowMs: settings.nowMs() };
    // Without a position, events could be missed if the connection is lost during the wait.
    const waits = before.cursor !== undefined;
    const request = requests.poll(before.cursor ?? after, waits);
    const response = await sender.send(request);
    const source = { request, response };
    if (!Array.isArray(response.body)) throw unexpectedAnswer(request, response);
    for (const event of response.body) yield* pass(event, source);
    const next = nextCursor(response.headers.get("link"), "after");
    if (next !== undefined) position.moveTo(next, source);
    if (position.cursor === undefined) throw unexpectedAnswer(request, response);

    const isIdle = waits && position.cursor === before.cursor;
    const isUseful = !isIdle || settings.nowMs() - before.nowMs >= SOON_MS;
    patience.count(isUseful);
    if (isUseful) return;
    const failure = connectionFailed(request, new Error("The service does not wait for events."));
    await patience.wait(failure, request);
  }

  return { stream, poll };
}

/** Waits longer after each stream or poll in a row that brought nothing, up to `retries` of them. */
function createPatience({ settings, retries = Number.POSITIVE_INFINITY }: Follower) {
  let failures = 0;
  let retryMs: number | undefined;

  return {
    count(isUseful: boolean): void {
      failures = isUseful ? 0 : failures + 1;
    },
    /** `askedMs`: the wait that the service has asked for; it stays until it asks for another. */
    async wait(failure: AnimalStoreError, { signal }: ServiceRequest, askedMs?: number): Promise<void> {
      retryMs = askedMs ?? retryMs;
      if (failures > retries) throw failure;
      const waitMs = reconnectWaitMs({ retryMs, failures, random: settings.random() });
      await settings.sleep(waitMs, signal, failure);
    },
  };
}

function parseData(data: string, { request, response }: Source): unknown {
  try {
    return parseJson(data);
  } catch (cause) {
    throw unexpectedAnswer(request, response, cause);
  }
}
