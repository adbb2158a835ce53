// Numbers of webhooks that texts of the service quote: how many, how long, how often.

import { DAY_MS } from "../basics/durations.ts";

export const WEBHOOK_URL_MAX = 2_000;
export const WEBHOOK_DESCRIPTION_MAX = 255;

/** Everything that a receiver sends in an attempt, except the end of the response body, which is not read. */
export const RECEIVED_BYTES_MAX = 65_536;
/** Events that become deliveries in one transaction. On SQLite, it blocks the process for a few milliseconds. */
export const EVENTS_PER_PORTION = 100;
/** A webhook with only failures for this long is disabled. */
export const DISABLED_AFTER_DAYS = 5;
/** After a rotation, the old secret signs too for this long. */
export const OLD_SECRET_SIGNS_MS = DAY_MS;
export const DELIVERIES_KEPT_DAYS = 30;
