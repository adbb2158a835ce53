// Someone else has changed what the user wants to change: how often to try again, and the error when nothing was saved.

import type { Listing } from "../../../../client/src/client.ts";

/** Behind a proxy that changes ETags, no attempt succeeds. */
export const ATTEMPTS_MAX = 2;

export class ChangedByOthersError extends Error {
  /** The animal as it is now. */
  readonly current: Listing;
  constructor(current: Listing) {
    super();
    this.current = current;
  }
}
