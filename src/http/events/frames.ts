// The text of a stream: server-sent events, as the HTML standard defines them.

import { eventJson, type StoredEvent } from "../../domain/events/event.ts";
import { formatEventCursor } from "../../domain/events/event-cursor.ts";

/** How long a client waits before it connects again. */
const RETRY_MS = 3_000;

export const COMMENT = ":\n\n";
const DATA = "\ndata: ";
const END = "\n\n";

/** Sets the position of the client before its first event. Without `data`, so that EventSource dispatches no message. */
export function formatOpening(epoch: string, number: number): string {
  return `retry: ${RETRY_MS}\n${formatMove(epoch, number)}`;
}

/** Moves the position of the client past events that it does not get. */
export function formatMove(epoch: string, number: number): string {
  return `id: ${formatEventCursor({ epoch, number: BigInt(number) })}\n\n`;
}

export function formatEvent(event: StoredEvent, source: { epoch: string; publicUrl: string }): Buffer {
  const id = formatEventCursor({ epoch: source.epoch, number: event.number });
  return Buffer.from(`id: ${id}\nevent: ${event.type}${DATA}${eventJson(event, source)}${END}`);
}

export function jsonOf(frame: Buffer): string {
  return frame.toString("utf8", frame.indexOf(DATA) + DATA.length, frame.length - END.length);
}
