// The form of the cursors of the feed: an epoch and a number.

import { ServiceError } from "../basics/errors.ts";
import { INT64_MAX } from "../basics/int64.ts";

/** A position after `number`, in the history that `epoch` names. */
export interface EventCursor {
  epoch: string;
  number: bigint;
}

const CURSOR = /^([0-9a-f]{16})-(0|[1-9]\d{0,18})$/;

export function formatEventCursor({ epoch, number }: EventCursor): string {
  return `${epoch}-${number}`;
}

/** Throws `invalid_cursor` for a text that is no cursor of a feed. */
export function parseEventCursor(text: string): EventCursor {
  const [, epoch = "", digits = ""] = CURSOR.exec(text) ?? [];
  const number = BigInt(digits);
  if (epoch === "" || number > INT64_MAX) throw new ServiceError("invalid_cursor");
  return { epoch, number };
}
