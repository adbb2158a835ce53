// The position of a follower in the feed. It only moves forward, and never to another epoch.

import { unexpectedAnswer } from "../answer.ts";
import type { ServiceRequest } from "../request.ts";
import { FeedResetError } from "../service-errors.ts";
import { isEvent } from "./event.ts";

/** Where a position comes from, for errors. */
export interface Source {
  request: ServiceRequest;
  response: Pick<Response, "status" | "headers">;
}

export interface Position {
  /** Undefined until the service has said where "now", or the oldest event, is. */
  readonly cursor: string | undefined;
  /** Moves after the event; false if it was passed before. Throws for a value that is no event. */
  passEvent<T>(event: T, source: Source): boolean;
  /** Stays where it is if the cursor is before it. */
  moveTo(cursor: string, source: Source): boolean;
}

interface Point {
  epoch: string;
  number: bigint;
}

/** `after` as the caller has given it. */
export function createPosition(after: string | undefined): Position {
  let cursor = after === "now" ? undefined : after;
  let point = readCursor(after ?? "");

  function move(next: Point | undefined, { request, response }: Source): boolean {
    if (next === undefined) throw unexpectedAnswer(request, response);
    if (point !== undefined && next.epoch !== point.epoch) throw otherEpoch(request);
    if (point !== undefined && next.number <= point.number) return false;
    point = next;
    cursor = `${next.epoch}-${next.number}`;
    return true;
  }

  return {
    get cursor() {
      return cursor;
    },
    passEvent: (event, source) => move(readEventPoint(event), source),
    moveTo: (next, source) => move(readCursor(next), source),
  };
}

/** `<epoch>-<number>` */
function readCursor(cursor: string): Point | undefined {
  const end = cursor.lastIndexOf("-");
  return readPoint(cursor.slice(0, Math.max(0, end)), cursor.slice(end + 1));
}

/** The id is `evt_<epoch>_<number>`. Undefined if the event has another number. */
function readEventPoint(event: unknown): Point | undefined {
  if (!isEvent(event) || !event.id.startsWith("evt_")) return undefined;
  const end = event.id.lastIndexOf("_");
  const number = event.id.slice(end + 1);
  return number === String(event.number) ? readPoint(event.id.slice(4, end), number) : undefined;
}

function readPoint(epoch: string, number: string): Point | undefined {
  return epoch !== "" && /^[0-9]{1,19}$/.test(number) ? { epoch, number: BigInt(number) } : undefined;
}

/** The service answers 410 to a cursor of another epoch; this check is for a stream that stayed open. */
function otherEpoch({ name, requestId }: ServiceRequest): FeedResetError {
  const message = "The feed has begun anew. Read the lists again and continue from there.";
  return new FeedResetError({ code: "feed_reset", message, operation: name, requestId });
}
