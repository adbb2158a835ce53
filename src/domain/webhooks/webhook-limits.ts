// Numbers of webhooks that texts of the service quote: how many, how long, how often.

import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "../basics/durations.ts";

export const WEBHOOK_URL_MAX = 2_000;
export const WEBHOOK_DESCRIPTION_MAX = 255;

/** From the look-up of the name to the headers of the response. */
export const ATTEMPT_MS = 15 * SECOND_MS;
/** Everything that a receiver sends in an attempt, except the end of the response body, which is not read. */
export const RECEIVED_BYTES_MAX = 65_536;
/** Events that become deliveries in one transaction. On SQLite, it blocks the process for a few milliseconds. */
export const EVENTS_PER_PORTION = 100;
/** The wait before each attempt, counted from the one before: 75.6 hours in all. */
export const ATTEMPT_WAITS_MS = [
  0,
  5 * SECOND_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
  14 * HOUR_MS,
  20 * HOUR_MS,
  DAY_MS,
];
/** A webhook with only failures for this long is disabled. */
export const DISABLED_AFTER_DAYS = 5;
/** After a rotation, the old secret signs too for this long. */
export const OLD_SECRET_SIGNS_MS = DAY_MS;
export const DELIVERIES_KEPT_DAYS = 30;
