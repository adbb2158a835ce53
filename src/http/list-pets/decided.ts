// What has become of a request before it came to the framework: nothing is decided or tried twice.

import type { IncomingMessage } from "node:http";
import type { ApiKey } from "../../domain/keys/api-key.ts";
import type { Admission } from "../../domain/keys/limits.ts";

interface Decided {
  key: ApiKey;
  admission: Admission;
  /** What reading the page has failed with. */
  fault?: unknown;
}
export const decidedBefore = new WeakMap<IncomingMessage, Decided>();
