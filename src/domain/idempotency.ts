// Requests that may come again: how one is known again, and what is kept of its answer.

import { createHash } from "node:crypto";
import { ServiceError } from "./errors.ts";
import type { KeyRing } from "./keys/key-ring.ts";
import type { OrderStore } from "./order.ts";
import type { PetStore } from "./pet.ts";
import { IDEMPOTENCY_KEY_LENGTH_MAX } from "./request-limits.ts";

export const IDEMPOTENCY_KEPT_MS = 86_400_000;

const QUOTED = /^"(.*)"$/s;
const VISIBLE = /^[\x21-\x7e]+$/;

/** The header as a client sent it, bare or quoted. Throws `invalid_idempotency_key`. */
export function readIdempotencyKey(header: string): string {
  const key = QUOTED.exec(header)?.[1] ?? header;
  if (!VISIBLE.test(key) || key.length > IDEMPOTENCY_KEY_LENGTH_MAX)
    throw new ServiceError("invalid_idempotency_key");
  return key;
}

/** What one Idempotency-Key belongs to. */
export interface IdempotencyScope {
  keyId: bigint;
  method: string;
  path: string;
  idempotencyKey: string;
}

export interface IdempotentRequest {
  name: Buffer;
  /** Of the body's bytes. */
  fingerprint: Buffer;
  nowMs: number;
}

export function digestIdempotencyScope({ keyId, method, path, idempotencyKey }: IdempotencyScope): Buffer {
  return createHash("sha256").update(`${keyId} ${method} ${path} ${idempotencyKey}`).digest();
}

export interface KeptAnswer {
  status: number;
  location?: string | undefined;
  body: Buffer;
}

/** The stores that POST operations work with. */
export interface PostStores {
  pets: PetStore;
  orders: OrderStore;
  keyRing: KeyRing;
}

export interface IdempotencyStore {
  /**
   * Does the work and keeps its answer in one transaction, or resolves to the answer that was kept before. Work that
   * throws leaves no trace. Throws `idempotency_in_progress` while the same request runs, on this node or another, and
   * `idempotency_key_reused` for another body.
   */
  perform(
    request: IdempotentRequest,
    work: (stores: PostStores) => Promise<KeptAnswer>,
  ): Promise<KeptAnswer & { isReplayed: boolean }>;
  /** Forgets answers that were kept until `nowMs`, a limited number at a time. Resolves to how many. */
  forget(nowMs: number): Promise<number>;
}
