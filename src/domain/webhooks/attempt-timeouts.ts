// How long an attempt of a delivery may take. Apart from attempt-schedule.ts, because the console imports this file.

import { SECOND_MS } from "../basics/durations.ts";

/** From the look-up of the name to the open connection. */
export const CONNECT_MS = 5 * SECOND_MS;
/** From the look-up of the name to the headers of the response. */
export const ATTEMPT_MS = 15 * SECOND_MS;
/** How long a node may hold a delivery. The rest is for slow writes, and for clocks of nodes that differ. */
export const CLAIM_MS = 4 * ATTEMPT_MS;
