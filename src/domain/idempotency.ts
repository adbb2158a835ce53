// Idempotent requests: how a repeated request is recognised, and which response is kept for it.

import { createHash } from "node:crypto";
import type { PetStore } from "./animals/pet-store.ts";
import type { PhotoStore } from "./animals/photo.ts";
import { DAY_MS } from "./basics/durations.ts";
import { ServiceError } from "./basics/errors.ts";
import { IDEMPOTENCY_KEY_LENGTH_MAX } from "./basics/request-limits.ts";
import type { KeyRing } from "./keys/key-ring.ts";
import type { OrderStore } from "./orders/order.ts";
import type { People } from "./people/people.ts";
import type { ShelterStore } from "./shelters/shelter.ts";
import type { WebhookStore } from "./webhooks/webhook.ts";

export const IDEMPOTENCY_KEPT_MS = DAY_MS;
/**
 * A node that stops between the work outside of a transaction and its response blocks the key for this time. Longer than
 * the longest such work: an image that waits for others takes about a minute.
 */
export const IDEMPOTENCY_LEASE_MS = 120_000;

const QUOTED = /^"(.*)"$/s;
const VISIBLE = /^[\x21-\x7e]+$/;

/** Reads the header, bare or quoted. Throws `invalid_idempotency_key`. */
export function readIdempotencyKey(header: string): string {
  const key = QUOTED.exec(header)?.[1] ?? header;
  if (!VISIBLE.test(key) || key.length > IDEMPOTENCY_KEY_LENGTH_MAX)
    throw new ServiceError("invalid_idempotency_key");
  return key;
}

/** An Idempotency-Key is unique within these. */
export interface IdempotencyScope {
  keyId: bigint;
  method: string;
  path: string;
  idempotencyKey: string;
}

export interface IdempotentRequest {
  name: Buffer;
  /** Digest of the body. */
  fingerprint: Buffer;
  nowMs: number;
}

export function digestIdempotencyScope({ keyId, method, path, idempotencyKey }: IdempotencyScope): Buffer {
  return createHash("sha256").update(`${keyId} ${method} ${path} ${idempotencyKey}`).digest();
}

/** Throws `idempotency_key_reused` if the request whose response was kept had another body. */
export function requireSameBody({ fingerprint }: IdempotentRequest, keptFingerprint: Buffer): void {
  if (!fingerprint.equals(keptFingerprint)) throw new ServiceError("idempotency_key_reused");
}

export interface KeptAnswer {
  status: number;
  location?: string | undefined;
  body: Buffer;
}

/** The stores that POST operations change. */
export interface PostStores {
  pets: PetStore;
  orders: OrderStore;
  keyRing: KeyRing;
  people: People;
  photos: PhotoStore;
  webhooks: WebhookStore;
  shelters: ShelterStore;
}

export interface IdempotencyStore {
  /**
   * Does the work and keeps its response in one transaction, or resolves to the response that was kept before. Work that
   * throws is rolled back. Throws `idempotency_in_progress` while the same request runs, on this node or another, and
   * `idempotency_key_reused` for another body. A node that stops during `prepare` leaves the request in progress for
   * IDEMPOTENCY_LEASE_MS.
   */
  perform(
    request: IdempotentRequest,
    work: (stores: PostStores) => Promise<KeptAnswer>,
    /**
     * Awaited before the transaction begins: for what may take long, such as requests to others. Not called for a replay,
     * nor by a second request while the first one runs.
     */
    prepare?: () => Promise<void>,
  ): Promise<KeptAnswer & { isReplayed: boolean }>;
  /** Deletes responses that have expired at `nowMs`, a limited number per call. Resolves to the number deleted. */
  forget(nowMs: number): Promise<number>;
}
