// Claims of idempotent requests that work outside of a transaction: only one of them works at a time, on all nodes.

import { createHash, randomBytes } from "node:crypto";
import { ServiceError } from "../../domain/basics/errors.ts";
import { IDEMPOTENCY_LEASE_MS, type IdempotentRequest } from "../../domain/idempotency.ts";
import type { Transaction } from "../database.ts";
import { TABLES } from "../tables.ts";

/** Replaces a claim whose lease has ended: its node has stopped in the middle of the work. */
const TAKE = `INSERT INTO idempotency_keys (${TABLES.idempotency_keys}) VALUES ($1, $2, 0, NULL, $3, '', $4)
  ON CONFLICT (name) DO UPDATE
  SET fingerprint = excluded.fingerprint, body = excluded.body, created_at_ms = excluded.created_at_ms
  WHERE idempotency_keys.created_at_ms <= $5`;
const END = "DELETE FROM idempotency_keys WHERE name = $1 AND body = $2";

export interface Claim {
  /** Throws `idempotency_in_progress` while another request has it. */
  take(tx: Transaction): Promise<void>;
  /** Resolves to false if it was lost: the lease has ended, and another request has taken it. */
  end(tx: Transaction): Promise<boolean>;
}

/**
 * A claim is a row among the stored responses, under a name that no response has, so that nodes of earlier releases do not
 * take it for one. Its body identifies the holder.
 */
export function createClaim({ name, fingerprint, nowMs }: IdempotentRequest): Claim {
  const claimName = createHash("sha256").update("claim ").update(name).digest();
  const holder = randomBytes(16);
  return {
    async take(tx) {
      const values = [claimName, fingerprint, holder, nowMs, nowMs - IDEMPOTENCY_LEASE_MS];
      if ((await tx.run(TAKE, values)) === 0) throw new ServiceError("idempotency_in_progress");
    },
    end: async (tx) => (await tx.run(END, [claimName, holder])) === 1,
  };
}
