// The animals in SQL, with the history of their changes.

import type { ChangeOrigin } from "../../../domain/animals/history.ts";
import type { Listing } from "../../../domain/animals/listing.ts";
import {
  isSamePet,
  PET_STATUSES,
  type Pet,
  type PetStatus,
  type PetTransition,
  refuseOpenOrder,
  revisePet,
} from "../../../domain/animals/pet.ts";
import type { PetStore } from "../../../domain/animals/pet-store.ts";
import { type Precondition, requirePrecondition } from "../../../domain/basics/precondition.ts";
import { OPEN_STATUSES } from "../../../domain/orders/order.ts";
import type { Database, Queries, Transaction } from "../../database.ts";
import { refreshTexts } from "../../search/pet-texts.ts";
import { createStatement } from "../../statements.ts";
import { placeholders } from "../../tables.ts";
import { keyShelterColumn, refuseDeletedShelter, requireOwnShelter } from "../shelters/own-shelter.ts";
import { type ChangeListener, createRecordedTransactions, listChanges, type NewChange } from "./history.ts";
import { lockOwnListing } from "./listings.ts";
import { addPet } from "./new-pets.ts";
import { listPets } from "./pet-list.ts";
import { PET_COLUMNS, stateOf, toPet, updateOf } from "./pet-rows.ts";

const LOCK = `SELECT ${PET_COLUMNS}, shelter_id, ${keyShelterColumn("$2")} FROM pets WHERE id = $1`;
const FIND = createStatement({
  name: "findPet",
  values: "id bigint",
  one: `SELECT ${PET_COLUMNS} FROM pets WHERE id = $1`,
  many: (input) => `SELECT n, ${PET_COLUMNS} FROM ${input} JOIN pets USING (id)`,
});
const OPEN = OPEN_STATUSES.map((status) => `'${status}'`).join(", ");
/** A unique index allows at most one. */
const OPEN_ORDER = `SELECT id FROM orders WHERE pet_id = $1 AND status IN (${OPEN})`;
/** The same for a row of `pets` in a statement. */
export const OPEN_ORDER_OF_PET = OPEN_ORDER.replace("$1", "pets.id");

export function createPetStore(db: Database, changed: ChangeListener = async () => {}): PetStore {
  const change = createRecordedTransactions(db, changed);

  return {
    list: (filter, page) => listPets(db, filter, page),

    async find(id) {
      const row = await db.batched(FIND, [id]);
      return row && toPet(row);
    },

    create: (pet, origin) =>
      change(async (tx, { recorded }) => {
        const { id, number } = await addPet(tx, pet, origin);
        recorded(number);
        return { id, ...pet };
      }).catch(refuseDeletedShelter),

    update: (id, changes, origin, precondition) =>
      change(async (tx, { record }) => {
        const pet = await lockExpected(tx, id, origin, precondition);
        if (pet === undefined) return undefined;
        const next = revisePet(pet, changes, await findOpenOrder(tx, id));
        if (isSamePet(pet, next)) return pet;
        const sql =
          "UPDATE pets SET name = $2, category_id = $3, status = $4, updated_at_ms = $5 WHERE id = $1";
        await tx.run(sql, [id, next.name, next.categoryId, next.status, origin.atMs]);
        if (next.name !== pet.name || next.categoryId !== pet.categoryId) await refreshTexts(tx, id);
        await record([updateOf(pet, next, origin)]);
        return next;
      }),

    delete: (id, origin, precondition) =>
      change(async (tx, { record }) => {
        const pet = await lockExpected(tx, id, origin, precondition);
        if (pet === undefined) return false;
        refuseOpenOrder(await findOpenOrder(tx, id));
        await tx.run("DELETE FROM pets WHERE id = $1", [id]);
        const from = stateOf(pet);
        await record([{ type: "pet.deleted", petId: id, from, ...origin }]);
        return true;
      }),

    history: (id, page) => listChanges(db, id, page),

    inventory: () => countPets(db),
  };
}

export async function countPets(db: Queries): Promise<Record<PetStatus, number>> {
  const rows = await db.all("SELECT status, pets FROM inventory");
  const counts = new Map(rows.map((row) => [row.status, Number(row.pets)]));
  const each = PET_STATUSES.map((status) => [status, counts.get(status) ?? 0]);
  return Object.fromEntries(each) as Record<PetStatus, number>;
}

/** Throws `other_shelter`, `precondition_failed`. A caller may have seen the whole listing, so a precondition is asked about all of it. */
async function lockExpected(
  tx: Transaction,
  id: bigint,
  origin: ChangeOrigin,
  precondition: Precondition<Listing> | undefined,
): Promise<Pet | undefined> {
  if (precondition === undefined) return lockOwnPet(tx, id, origin);
  const listing = await lockOwnListing(tx, id, origin);
  if (listing === undefined) return undefined;
  requirePrecondition(precondition, listing);
  const { name, categoryId, status } = listing;
  return { id, name, categoryId, status };
}

async function lockOwnPet(tx: Transaction, id: bigint, { keyId }: ChangeOrigin): Promise<Pet | undefined> {
  const row = await tx.lock(LOCK, [id, keyId ?? null]);
  if (row === undefined) return undefined;
  requireOwnShelter(row);
  return toPet(row);
}

async function findOpenOrder(tx: Transaction, petId: bigint): Promise<bigint | undefined> {
  return (await tx.first(OPEN_ORDER, [petId]))?.id as bigint | undefined;
}

/** Changes the animals that are in status `from`. Resolves to the changes, which the caller records. */
export async function transitionPets(
  tx: Transaction,
  ids: bigint[],
  { from, to }: PetTransition,
  origin: ChangeOrigin,
): Promise<NewChange[]> {
  const rows = await tx.all(
    `UPDATE pets SET status = $2, updated_at_ms = $3
     WHERE status = $1 AND id IN (${placeholders(ids.length, 4)}) RETURNING ${PET_COLUMNS}`,
    [from, to, origin.atMs, ...ids],
  );
  return rows.map(toPet).map((pet) => updateOf({ ...pet, status: from }, pet, origin));
}
