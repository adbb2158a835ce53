// Findings of `doctor` about a database, the same for both engines.

import type { ExplainedError } from "../tools/operator-error.ts";
import type { ExposedFile } from "./sqlite/rights.ts";

export interface WebhookInspection {
  /** All, also disabled ones. */
  count: number;
  /** One for the master key of each webhook. */
  keyFingerprints: string[];
  /** Since when each enabled one that fails has failed. */
  failingSinceMs: number[];
  /** Disabled because of their receiver: `gone` or `failing`. */
  givenUp: number;
}

export interface Inspection {
  exists: boolean;
  engine: string;
  schemaVersion: number;
  /** The newest time stored in the data. */
  newestMs: number;
  /** Undefined on engines that any number of nodes may serve. */
  isServed?: boolean;
  /** Findings of the integrity check; empty if the database is sound or was not checked. */
  damage: string[];
  /** How to replace a damaged store. */
  repair?: string;
  /** Why a test write failed; undefined if it succeeded. It is rolled back. */
  writeFault?: ExplainedError | undefined;
  /** Files of a SQLite store that other users may use. */
  exposed?: ExposedFile[];
  /** As in the response of `/readyz`; undefined for an older schema. */
  storeId?: string | undefined;
  /** Whether a stored admin key is active; undefined if there are no tables, or they may not be read. */
  hasAdminKey?: boolean | undefined;
  /** The nodes that use Redis and serve the database now; undefined on SQLite and for an older schema. */
  nodes?: number | undefined;
  /** Why searches have no index; undefined if they have one, and for an older schema. */
  searchFault?: ExplainedError | undefined;
  /** Undefined if there are no such tables, or they may not be read. */
  webhooks?: WebhookInspection | undefined;
}
