// Answers kept by Idempotency-Key in SQL, in the transaction of the work that they tell of.

import { ServiceError } from "../domain/errors.ts";
import {
  IDEMPOTENCY_KEPT_MS,
  type KeptAnswer,
  type OnceRequest,
  type OnceStore,
  type PostStores,
} from "../domain/idempotency.ts";
import type { Database, Row, Transaction } from "./database.ts";
import { toNumber, toOptional } from "./row.ts";

const FORGOTTEN_PER_TRANSACTION = 500;

/** Stores over one transaction, and what there is to do once it is durable. */
export type BindStores = (db: Database) => { stores: PostStores; committed: () => Promise<void> };

export function createOnceStore(db: Database, bind: BindStores): OnceStore {
  return {
    async once(request, work) {
      let committed = async () => {};
      const answer = await db.transaction(
        async (tx) => {
          const kept = await findKept(tx, request);
          if (kept !== undefined) return { ...kept, isReplayed: true };
          const bound = bind(joinTransaction(db, tx));
          const fresh = await work(bound.stores);
          await keep(tx, request, fresh);
          committed = bound.committed;
          return { ...fresh, isReplayed: false };
        },
        { inOrder: true, claim: request.name.readBigInt64BE() },
      );
      await committed();
      return answer;
    },

    async forget(nowMs) {
      const old = "SELECT name FROM idempotency_keys WHERE created_at_ms <= $1 LIMIT $2";
      const values = [nowMs - IDEMPOTENCY_KEPT_MS, FORGOTTEN_PER_TRANSACTION];
      if ((await db.first(old, values)) === undefined) return 0;
      return db.transaction((tx) => tx.run(`DELETE FROM idempotency_keys WHERE name IN (${old})`, values));
    },
  };
}

/** A store's own transaction becomes a part of the one that is under way. */
function joinTransaction(db: Database, tx: Transaction): Database {
  return { ...db, all: tx.all, first: tx.first, transaction: (work) => work(tx) };
}

async function findKept(tx: Transaction, request: OnceRequest): Promise<KeptAnswer | undefined> {
  const row = await tx.first(
    "SELECT fingerprint, status, location, body FROM idempotency_keys WHERE name = $1 AND created_at_ms > $2",
    [request.name, request.nowMs - IDEMPOTENCY_KEPT_MS],
  );
  if (row === undefined) return undefined;
  if (!request.fingerprint.equals(row.fingerprint as Buffer))
    throw new ServiceError("idempotency_key_reused");
  return toAnswer(row);
}

async function keep(tx: Transaction, request: OnceRequest, answer: KeptAnswer): Promise<void> {
  const { name, fingerprint, nowMs } = request;
  const { status, location = null, body } = answer;
  const columns = "fingerprint, status, location, body, created_at_ms";
  // What is there already has run out.
  await tx.run(
    `INSERT INTO idempotency_keys (name, ${columns}) VALUES ($1, $2, $3, $4, $5, $6)
     ON CONFLICT (name) DO UPDATE SET (${columns}) = ($2, $3, $4, $5, $6)`,
    [name, fingerprint, status, location, body, nowMs],
  );
}

function toAnswer(row: Row): KeptAnswer {
  return {
    status: toNumber(row.status),
    location: toOptional<string>(row.location),
    body: row.body as Buffer,
  };
}
