// Findings of `doctor` about a database, the same for both engines.

import type { ExplainedError } from "../tools/operator-error.ts";

export interface Inspection {
  exists: boolean;
  engine: string;
  schemaVersion: number;
  /** The newest moment that the data speaks of. */
  newestMs: number;
  /** Undefined where any number of nodes may serve it. */
  isServed: boolean | undefined;
  /** What an integrity check found; empty when all is well or none was asked for. */
  damage: string[];
  /** Why a test write failed; undefined where it was done, and undone. */
  writeFault: ExplainedError | undefined;
  /** Files of the store that other users may read or write. */
  exposure: ExplainedError | undefined;
}
