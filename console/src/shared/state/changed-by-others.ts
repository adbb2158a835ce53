// Someone else has changed what the user wants to change. Nothing was saved.

import type { Listing } from "../../../../client/src/client.ts";

export class ChangedByOthersError extends Error {
  /** The animal as it is now. */
  readonly current: Listing;
  constructor(current: Listing) {
    super();
    this.current = current;
  }
}
