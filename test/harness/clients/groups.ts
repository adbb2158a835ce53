// Writes that share one group, and the check that nothing in a store is half done.

import assert from "node:assert/strict";
import { PET_STATUSES } from "../../../src/domain/animals/pet.ts";
import type { Database, Queries } from "../../../src/storage/database.ts";
import { column } from "../clients/pages.ts";

/** A write that uses the transactions of the given database. */
export type GroupWrite = (db: Database) => Promise<unknown>;

/** Runs the writes in one group, in this order: they wait until all are there. Each must use one transaction in order. */
export async function runInOneGroup(
  db: Database,
  writes: GroupWrite[],
): Promise<Array<PromiseSettledResult<unknown>>> {
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const holder = db.transaction(
    async () => {
      begin();
      await released;
    },
    { inOrder: true },
  );
  await begun;
  const outcomes: Array<Promise<unknown>> = [];
  for (const write of writes) {
    const { promise: queued, resolve: queue } = Promise.withResolvers<void>();
    const noted: Database = {
      ...db,
      transaction(work, options) {
        queue();
        return db.transaction(work, options);
      },
    };
    const outcome = write(noted);
    outcomes.push(outcome);
    // Some read first, before they wait for the group.
    await Promise.race([queued, outcome.catch(() => {})]);
  }
  release();
  await holder;
  return Promise.allSettled(outcomes);
}

/**
 * Numbers of the history have no gap, every animal has the record of its creation, every record of a creation is of an
 * animal that exists or was deleted, and the inventory counts the animals.
 */
export async function assertConsistent(db: Queries): Promise<void> {
  const history = await db.all("SELECT number, what, pet_id FROM history ORDER BY number");
  assert.deepEqual(
    column(history, "number"),
    history.map((_, index) => BigInt(index + 1)),
  );
  const idsWith = (kind: string) =>
    history.filter(({ what }) => what === kind).map(({ pet_id: id }) => id as bigint);
  const pets = await db.all("SELECT id, status FROM pets ORDER BY id");
  const deleted = new Set(idsWith("pet.deleted"));
  assert.deepEqual(
    idsWith("pet.created").filter((id) => !deleted.has(id)),
    pets.map(({ id }) => id),
    "animals were created in the order of their ids",
  );
  const counted = await db.all("SELECT status, pets FROM inventory ORDER BY status");
  assert.deepEqual(
    counted,
    PET_STATUSES.toSorted().map((status) => ({
      status,
      pets: BigInt(pets.filter((pet) => pet.status === status).length),
    })),
  );
}
