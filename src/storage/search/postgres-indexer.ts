// Adds texts that wait to PostgreSQL's index, in steps. Without the extension pg_trgm, they only stop waiting.

import { performance } from "node:perf_hooks";
import type { Database, Transaction } from "../database.ts";
import { cleanUp } from "./postgres-index.ts";

/** One node at a time. */
export const INDEX_LOCK = 7_305_004;
/** In one step, which has to end within the deadline: 500 short texts take about 0.1 s, and so do 10 of the longest. */
const STEP_ROWS = 500;
const STEP_CHARACTERS = 100_000;
/** The last text of a step: as many as fit into the characters $2, but at least one. */
const FIND_LAST = `SELECT max(pet_id) AS last FROM (
    SELECT pet_id, sum(length(text)) OVER (ORDER BY pet_id) - length(text) AS before FROM (
      SELECT pet_id, text FROM pet_texts WHERE is_waiting = 1 AND pet_id > $1 ORDER BY pet_id LIMIT ${STEP_ROWS}
    ) AS next_texts
  ) AS measured WHERE before < $2`;
/** An array is read once: in a join, the plan could read, lock and change more. Locked texts are being changed. */
const INDEX = `UPDATE pet_texts SET is_waiting = 0 WHERE pet_id = ANY (ARRAY(
    SELECT pet_id FROM pet_texts WHERE is_waiting = 1 AND pet_id > $1 AND pet_id <= $2 ORDER BY pet_id
    FOR UPDATE SKIP LOCKED
  ))`;
/**
 * Texts with lower ids wait after an import that has changed their animals. They are looked for once in this time, because
 * the index keeps the entries of all earlier steps as long as another client reads.
 */
const RESTART_MS = 60_000;

/** The function does one step. It resolves to whether there may be more. */
export function createPostgresIndexer(db: Database): () => Promise<boolean> {
  /** All texts up to this id have been looked at. */
  let after = 0n;
  let restartAtMs = 0;
  let characters = STEP_CHARACTERS;

  return async () => {
    const beganMs = performance.now();
    const isRestart = beganMs >= restartAtMs;
    if (isRestart) restartAtMs = beganMs + RESTART_MS;
    // Before the step, so that the change itself seldom has to do it.
    await cleanUp(db);
    try {
      const last = await db.transaction((tx) => indexStep(tx, isRestart ? 0n : after, characters));
      characters = STEP_CHARACTERS;
      if (last === undefined && isRestart) after = await findNewest(db);
      if (last === undefined) return false;
      after = last;
      return true;
    } catch (error) {
      characters = Math.ceil(characters / 2);
      throw error;
    }
  };
}

/** Resolves to the last text of the step; undefined if none waits after `after`, or if another node is at work. */
async function indexStep(tx: Transaction, after: bigint, characters: number): Promise<bigint | undefined> {
  const lock = await tx.first(`SELECT pg_try_advisory_xact_lock(${INDEX_LOCK})::text AS is_free`);
  if (lock?.is_free !== "true") return undefined;
  const last = (await tx.first(FIND_LAST, [after, characters]))?.last ?? undefined;
  if (last !== undefined) await tx.run(INDEX, [after, last]);
  return last as bigint | undefined;
}

async function findNewest(db: Database): Promise<bigint> {
  return (await db.first("SELECT coalesce(max(pet_id), 0) AS id FROM pet_texts"))?.id as bigint;
}
