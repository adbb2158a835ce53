// Interface of the gate, which decides whether a caller is admitted and how much of its limits is left.

import type { StoredVersions } from "../basics/versions.ts";
import type { Admission, KeyCounts } from "./admission.ts";
import type { ApiKey } from "./api-key.ts";

/** A server of Redis that the gate uses. */
export interface GateServer {
  /** HOST:PORT; undefined for a master that no Sentinel has named. */
  server: string | undefined;
  role: "master" | "sentinel";
  isAway: boolean;
}

export interface Gate {
  /** Whether admissions have versions. Callers need them to cache what they read. */
  readonly hasVersions: boolean;
  /** Decides on one request of a verified key and charges it. */
  admit(key: ApiKey): Admission | Promise<Admission>;
  /** The same counts as `admit`, without a charge; refuses only during a ban. */
  peek(key: ApiKey): Admission | Promise<Admission>;
  /** Decides on a request without a valid key. Each address has a budget; the number of budgets is bounded. */
  admitAnonymous(address: string): Admission;
  peekAnonymous(address: string): Admission;
  /**
   * Called after a change of animals is durable and before its response, with its version from the database. May be
   * repeated, in any order. Never rejects.
   */
  publishPetsVersion(version: number): Promise<void>;
  /** The same for a change of a key. */
  publishKeyVersion(id: bigint, version: number): Promise<void>;
  /** Changes whenever something without a version may have changed. Keys read before are then invalid. */
  generation(): number;
  /** The newest number of the history on all nodes, at most 250 ms old. Absent if the gate does not know it. */
  newestNumber?(): number;
  /** The newest number that any node has published; undefined while it is unknown. Absent without other nodes. */
  publishedNumber?(): Promise<number | undefined>;
  /** The database has begun a new epoch: begins a new generation with these versions. Absent without versions. */
  adoptVersions?(versions: StoredVersions): void;
  /** Descriptions of current problems; empty if there are none. */
  faults(): string[];
  /** Absent without Redis. */
  servers?(): GateServer[];
  /** Stores the counts and releases everything. */
  close(): Promise<void>;
}

export interface CountStore {
  readAll(): Promise<Map<bigint, KeyCounts>>;
  /** Also deletes counts that have ended by `nowMs`. */
  loadAll(nowMs: number): Promise<Map<bigint, KeyCounts>>;
  save(counts: ReadonlyMap<bigint, KeyCounts>): Promise<void>;
  find(keyId: bigint): Promise<KeyCounts | undefined>;
}
