// The answers kept for repeated requests, in SQL: by Idempotency-Key, in the same transaction as the work.

import { createHash, randomBytes } from "node:crypto";
import { ServiceError } from "../../domain/basics/errors.ts";
import {
  IDEMPOTENCY_KEPT_MS,
  IDEMPOTENCY_LEASE_MS,
  type IdempotencyStore,
  type IdempotentRequest,
  type KeptAnswer,
  type PostStores,
  requireSameBody,
} from "../../domain/idempotency.ts";
import type { Database, Queries, Row, Transaction } from "../database.ts";
import { createStatement } from "../statements.ts";
import { deleteSome, replaceOf, TABLES, toOptional, upsertOf } from "../tables.ts";

const COLUMNS = TABLES.idempotency_keys;
const FIND = createStatement({
  name: "findResponse",
  values: "name bytea, since_ms bigint",
  one: `SELECT ${COLUMNS} FROM idempotency_keys WHERE name = $1 AND created_at_ms > $2`,
  many: (input) =>
    `SELECT n, ${COLUMNS} FROM ${input} JOIN idempotency_keys USING (name) WHERE created_at_ms > since_ms`,
});
/** A row that it replaces has expired. */
const KEEP = createStatement({
  name: "keepResponse",
  values:
    "name bytea, fingerprint bytea, status bigint, location text, body bytea, touched text, created_at_ms bigint",
  isWrite: true,
  one: `${upsertOf("idempotency_keys")} RETURNING name`,
  many: (input) => `INSERT INTO idempotency_keys (${COLUMNS}) SELECT ${COLUMNS} FROM ${input}
    ${replaceOf("idempotency_keys")}`,
});

/** Replaces a claim whose lease has ended: its node has stopped in the middle of the work. */
const TAKE_CLAIM = `INSERT INTO idempotency_keys (${TABLES.idempotency_keys}) VALUES ($1, $2, 0, NULL, $3, '', $4)
  ON CONFLICT (name) DO UPDATE
  SET fingerprint = excluded.fingerprint, body = excluded.body, created_at_ms = excluded.created_at_ms
  WHERE idempotency_keys.created_at_ms <= $5`;
const END_CLAIM = "DELETE FROM idempotency_keys WHERE name = $1 AND body = $2";

/** The changed resources with their new versions. A replay does not know the versions. */
export type Touched = ReadonlyMap<string, number | undefined>;

export interface IdempotencyOptions {
  /** Stores over one transaction, and what they have changed so far. */
  bind: (db: Database) => { stores: PostStores; touched: Touched };
  /** Called when the change is durable, and again with each replay, because the first call may have been interrupted. */
  publishChanges: (touched: Touched) => Promise<void>;
}

type Work = (stores: PostStores) => Promise<KeptAnswer>;

interface Outcome extends KeptAnswer {
  isReplayed: boolean;
  touched: Touched;
}

export function createIdempotencyStore(
  db: Database,
  { bind, publishChanges }: IdempotencyOptions,
): IdempotencyStore {
  /** Runs the request unless its response is stored by now. Only one such transaction of a request runs at a time. */
  function run(request: IdempotentRequest, work: Work, claim?: Claim): Promise<Outcome> {
    return db.transaction(
      async (tx) => {
        const kept = await findKept(tx, request);
        if (kept !== undefined) return kept;
        if (claim !== undefined && !(await claim.end(tx))) throw new ServiceError("idempotency_in_progress");
        const { stores, touched } = bind(joinTransaction(db, tx));
        const answer = await work(stores);
        await keep(tx, request, answer, touched);
        return { ...answer, isReplayed: false, touched };
      },
      { inOrder: true, claim: request.name.readBigInt64BE() },
    );
  }

  return {
    async perform(request, work, prepare) {
      const runOrPrepare = () =>
        prepare === undefined
          ? run(request, work)
          : runClaimed(db, request, async (claim) => {
              await prepare();
              return run(request, work, claim);
            });
      // A plain read first: replays need no lock and do not block each other.
      const { touched, ...answer } =
        (await findKept(db, request)) ??
        (await runOrPrepare().catch((error) => findFinished(db, request, error)));
      await publishChanges(touched);
      return answer;
    },

    forget(nowMs) {
      const values = [nowMs - IDEMPOTENCY_KEPT_MS];
      return deleteSome(db, "idempotency_keys", { condition: "created_at_ms <= $1", values });
    },
  };
}

interface Claim {
  /** Throws `idempotency_in_progress` while another request has it. */
  take(tx: Transaction): Promise<void>;
  /** Resolves to false if it was lost: the lease has ended, and another request has taken it. */
  end(tx: Transaction): Promise<boolean>;
}

/**
 * A claim is a row among the stored responses, under a name that no response has, so that nodes of earlier releases do not
 * take it for one. Its body identifies the holder.
 */
function createClaim({ name, fingerprint, nowMs }: IdempotentRequest): Claim {
  const claimName = createHash("sha256").update("claim ").update(name).digest();
  const holder = randomBytes(16);
  return {
    async take(tx) {
      const values = [claimName, fingerprint, holder, nowMs, nowMs - IDEMPOTENCY_LEASE_MS];
      if ((await tx.run(TAKE_CLAIM, values)) === 0) throw new ServiceError("idempotency_in_progress");
    },
    end: async (tx) => (await tx.run(END_CLAIM, [claimName, holder])) === 1,
  };
}

/** Claims the request for `work`, a part of which no transaction protects. */
async function runClaimed(
  db: Database,
  request: IdempotentRequest,
  work: (claim: Claim) => Promise<Outcome>,
): Promise<Outcome> {
  const claim = createClaim(request);
  const kept = await db.transaction(async (tx) => {
    await claim.take(tx);
    const found = await findKept(tx, request);
    if (found !== undefined) await claim.end(tx);
    return found;
  });
  if (kept !== undefined) return kept;
  try {
    return await work(claim);
  } catch (error) {
    // Where the database does not answer now, the claim ends with its lease.
    await db.transaction((tx) => claim.end(tx)).catch(() => {});
    throw error;
  }
}

/** The same request, refused because it was running, may have finished since. Otherwise, throws the error. */
async function findFinished(db: Database, request: IdempotentRequest, error: unknown): Promise<Outcome> {
  const isRunning = error instanceof ServiceError && error.code === "idempotency_in_progress";
  const kept = isRunning ? await findKept(db, request) : undefined;
  if (kept === undefined) throw error;
  return kept;
}

/** Transactions of a store become part of the running one. */
function joinTransaction(db: Database, tx: Transaction): Database {
  const { all, first, batched } = tx;
  // The stored response follows, so no statement of a store is the last one.
  return { ...db, all, first, batched, transaction: (work) => work({ ...tx, finish: batched }) };
}

async function findKept(db: Queries, request: IdempotentRequest): Promise<Outcome | undefined> {
  const row = await db.batched(FIND, [request.name, request.nowMs - IDEMPOTENCY_KEPT_MS]);
  if (row === undefined) return undefined;
  requireSameBody(request, row.fingerprint as Buffer);
  return toOutcome(row);
}

async function keep(
  tx: Transaction,
  request: IdempotentRequest,
  answer: KeptAnswer,
  touched: Touched,
): Promise<void> {
  const { name, fingerprint, nowMs } = request;
  const { status, location = null, body } = answer;
  const changed = [...touched.keys()].join(",");
  await tx.finish(KEEP, [name, fingerprint, status, location, body, changed, nowMs]);
}

function toOutcome(row: Row): Outcome {
  const touched = (row.touched as string).split(",").filter((each) => each !== "");
  return {
    status: Number(row.status),
    location: toOptional<string>(row.location),
    body: row.body as Buffer,
    isReplayed: true,
    touched: new Map(touched.map((each) => [each, undefined])),
  };
}
