// How often open streams get a sign of life and have their keys checked, and how long they may last.

/** A silent stream gets a comment this often. */
export const HEARTBEAT_MS = 15_000;
/** A key that was revoked on any node must stop working within a second. */
export const CHECK_MS = 1_000;
/** 13 to 17 minutes, so that streams that were opened together do not end together. */
export const LIFETIME_MS = { least: 13 * 60_000, spread: 4 * 60_000 - 2 * CHECK_MS };
