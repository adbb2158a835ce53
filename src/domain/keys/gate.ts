// What the service asks before it serves a request: may this caller go on, and what is left?

import type { ApiKey } from "./api-key.ts";
import type { Admission, KeyCounts, Policy } from "./limits.ts";
import { limitsOf } from "./plan.ts";

export interface Gate {
  /** Whether admissions carry versions, by which callers may keep what they have read. */
  readonly hasVersions: boolean;
  /** Decides on one request of a verified key and charges it. */
  admit(key: ApiKey): Admission | Promise<Admission>;
  /** What `admit` would show, without a charge and without a refusal. */
  peek(key: ApiKey): Admission | Promise<Admission>;
  /** For requests without a valid key; `address` is one budget, the number of budgets is bounded. */
  admitAnonymous(address: string): Admission;
  peekAnonymous(address: string): Admission;
  /**
   * To be called after a change of animals is durable and before it is answered, with the version that the database gave
   * it. May be repeated, in any order. Never rejects.
   */
  publishPetsVersion(version: number): Promise<void>;
  /** The same for a change of a key. */
  publishKeyVersion(id: bigint, version: number): Promise<void>;
  /** Another number whenever anything may have changed that has no version: keys that were read before it are not kept. */
  generation(): number;
  /** What is amiss, in words; empty when all is well. */
  faults(): string[];
  /** Keeps what a restart must not forget, then lets go. */
  close(): Promise<void>;
}

/** Where counts outlive the process. */
export interface CountStore {
  readAll(): Promise<Map<bigint, KeyCounts>>;
  /** Also drops what had run out by `nowMs`. */
  loadAll(nowMs: number): Promise<Map<bigint, KeyCounts>>;
  save(counts: ReadonlyMap<bigint, KeyCounts>): Promise<void>;
  find(keyId: bigint): Promise<KeyCounts | undefined>;
}

export function policyOf(key: ApiKey): Policy {
  return { ...limitsOf(key), unbannedAtMs: key.unbannedAtMs };
}
