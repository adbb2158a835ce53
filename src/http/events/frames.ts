// The text of a stream: server-sent events, as the HTML standard defines them.

import { eventJson, formatEventCursor, type StoredEvent } from "../../domain/event.ts";

/** How long a client waits before it connects again. */
const RETRY_MS = 3_000;

export const COMMENT = ":\n\n";

/** Sets the position of the client before its first event. */
export function formatOpening(epoch: string, number: number): string {
  return `retry: ${RETRY_MS}\nid: ${formatPosition(epoch, number)}\ndata:\n\n`;
}

/** Moves the position of the client past events that it does not get. */
export function formatMove(epoch: string, number: number): string {
  return `id: ${formatPosition(epoch, number)}\n\n`;
}

export function formatEvent(event: StoredEvent, source: { epoch: string; publicUrl: string }): Buffer {
  const id = formatEventCursor({ epoch: source.epoch, number: event.number });
  return Buffer.from(`id: ${id}\nevent: ${event.what}\ndata: ${eventJson(event, source)}\n\n`);
}

function formatPosition(epoch: string, number: number): string {
  return formatEventCursor({ epoch, number: BigInt(number) });
}
