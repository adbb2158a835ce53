// The animals in SQL, with the history of their changes.

import type { ChangedState, ChangeOrigin } from "../../../domain/animals/history.ts";
import { PET_SHAPE } from "../../../domain/animals/json-shapes.ts";
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
import { isEmptyProfile, type Profile } from "../../../domain/animals/profile.ts";
import { petNeedleSql, searchTextsOf } from "../../../domain/animals/search-text.ts";
import { INT64_MAX } from "../../../domain/basics/int64.ts";
import { type Precondition, requirePrecondition } from "../../../domain/basics/precondition.ts";
import { OPEN_STATUSES } from "../../../domain/orders/order.ts";
import { FIRST_SHELTER, requireShelter } from "../../../domain/shelters/shelter.ts";
import { awaitAll } from "../../../tools/await-all.ts";
import type { Database, Queries, Row, SqlValue, Transaction } from "../../database.ts";
import { selectPage, selectPages, shapeSql, toPage } from "../../json-pages.ts";
import { putTexts, refreshTexts } from "../../search/pet-texts.ts";
import { createStatement } from "../../statements.ts";
import { placeholders } from "../../tables.ts";
import {
  keyShelterColumn,
  newShelterSql,
  refuseDeletedShelter,
  requireOwnShelter,
} from "../shelters/own-shelter.ts";
import { findSummaries } from "../shelters/summaries.ts";
import { findCategoryNames } from "./categories.ts";
import {
  type ChangeListener,
  createRecordedTransactions,
  listChanges,
  NEWEST_NUMBER,
  type NewChange,
  RECORD,
  recordChanges,
  toStateText,
} from "./history.ts";
import { listingChange, lockOwnListing } from "./listings.ts";
import { PROFILE_COLUMNS, PROFILE_TYPES, profileValues } from "./profile-columns.ts";

/** The animal itself, without its profile. */
const COLUMNS = "id, name, category_id, status";
const LOCK = `SELECT ${COLUMNS}, shelter_id, ${keyShelterColumn("$2")} FROM pets WHERE id = $1`;
const FIND = createStatement({
  name: "findPet",
  values: "id bigint",
  one: `SELECT ${COLUMNS} FROM pets WHERE id = $1`,
  many: (input) => `SELECT n, ${COLUMNS} FROM ${input} JOIN pets USING (id)`,
});
/**
 * An animal and its change, numbered in the order of the callers. If the ids had another order, no animal would be found
 * for a change, and the statement would fail. The ids are not taken from the sequence directly: that needs a right of its own.
 */
const CREATE = createStatement({
  name: "createPet",
  values:
    "name text, category_id bigint, status text, state_after text, at_ms bigint, key_id bigint, search_text text, search_name text",
  isWrite: true,
  one: createOne,
  many: (input) => `WITH input AS MATERIALIZED (
      SELECT * FROM ${input}
    ), added AS (
      INSERT INTO pets (name, category_id, status, created_at_ms, updated_at_ms, shelter_id)
      SELECT name, category_id, status, at_ms, at_ms, ${newShelterSql("key_id")} FROM input ORDER BY n
      RETURNING ${COLUMNS}
    ), numbered AS (
      SELECT *, row_number() OVER (ORDER BY id) AS n FROM added
    ), texts AS (
      INSERT INTO pet_texts (pet_id, text, name)
      SELECT id, search_text || ${petNeedleSql("id")}, search_name FROM input JOIN numbered USING (n)
    ), change AS (
      INSERT INTO history (number, what, pet_id, state_after, at_ms, key_id)
      SELECT ${NEWEST_NUMBER} + n, 'pet.created', id, state_after, at_ms, key_id
      FROM input LEFT JOIN numbered USING (n, name, category_id, status)
    )
    SELECT n, id, ${NEWEST_NUMBER} + n AS number FROM numbered`,
});
const SHAPE_COLUMNS = { id: "id", name: "name", categoryId: "category_id", status: "status" };
const LIST_ALL = createStatement({
  name: "listPets",
  values: "after_id bigint, page_limit bigint",
  one: pageOf("sqlite", "WHERE id > $1 ORDER BY id LIMIT $2"),
  many: (input) =>
    selectPages(input, pageOf("postgres", "WHERE id > input.after_id ORDER BY id LIMIT input.page_limit")),
});
const LIST_STATUS = createStatement({
  name: "listPetsOfStatus",
  values: "after_id bigint, page_limit bigint, wanted text",
  one: pageOf("sqlite", "WHERE status = $3 AND id > $1 ORDER BY id LIMIT $2"),
  // With `status = wanted`, PostgreSQL may read all animals in the order of their ids until it finds enough of the status.
  many: (input) =>
    selectPages(
      input,
      pageOf(
        "postgres",
        `WHERE (status, id) > (wanted, input.after_id) AND (status, id) <= (wanted, ${INT64_MAX})
         ORDER BY status, id LIMIT input.page_limit`,
      ),
    ),
});
const ADDED = `name, category_id, status, created_at_ms, updated_at_ms, shelter_id, ${PROFILE_COLUMNS}`;
const ADD_MANY = createStatement({
  name: "addPets",
  isWrite: true,
  values: `name text, category_id bigint, status text, created_at_ms bigint, updated_at_ms bigint, shelter_id bigint, ${PROFILE_TYPES}`,
  // An error ends the transaction. With OR FAIL, SQLite need not be able to undo the statement and its trigger alone: it would
  // write a copy of every page that they change.
  one: `INSERT OR FAIL INTO pets (${ADDED}) VALUES (${placeholders(ADDED.split(", ").length)})`,
  many: (input) => `INSERT INTO pets (${ADDED}) SELECT ${ADDED} FROM ${input} ORDER BY n RETURNING id`,
});
/** For SQLite, with the id of the key instead of its shelter. A query for the shelter would take 9 % of a create. */
const ADD_BY_KEY = { ...ADD_MANY, name: "addPet", one: ADD_MANY.one.replace("$6", newShelterSql) };
const OPEN = OPEN_STATUSES.map((status) => `'${status}'`).join(", ");
/** A unique index allows at most one. */
const OPEN_ORDER = `SELECT id FROM orders WHERE pet_id = $1 AND status IN (${OPEN})`;
/** The same for a row of `pets` in a statement. */
export const OPEN_ORDER_OF_PET = OPEN_ORDER.replace("$1", "pets.id");

export function createPetStore(db: Database, changed: ChangeListener = async () => {}): PetStore {
  const change = createRecordedTransactions(db, changed);

  return {
    async list({ status }, { limit, after = 0n }) {
      const row = await (status === undefined
        ? db.batched(LIST_ALL, [after, limit + 1])
        : db.batched(LIST_STATUS, [after, limit + 1, status]));
      return toPage(row, limit);
    },

    async find(id) {
      const row = await db.batched(FIND, [id]);
      return row && toPet(row);
    },

    create: (pet, { atMs, keyId = null }) =>
      change(async (tx, { recorded }) => {
        const { name, categoryId, status } = pet;
        const state = toStateText(pet);
        // SQLite writes the texts at the commit.
        const texts = db.engine === "sqlite" ? { text: "", name: "" } : searchTextsOf(pet);
        const values = [name, categoryId, status, state, atMs, keyId, texts.text, texts.name];
        const row = await tx.finish(CREATE, values);
        recorded(Number(row?.number));
        return { id: row?.id as bigint, ...pet };
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

function pageOf(engine: Database["engine"], condition: string): string {
  return selectPage(shapeSql(engine, PET_SHAPE, SHAPE_COLUMNS), `FROM pets ${condition}`);
}

/** SQLite cannot add to two tables by one statement. */
async function createOne(tx: Transaction, values: SqlValue[]): Promise<Row> {
  const [name = null, categoryId = null, status = null, stateAfter = null, atMs = null, keyId = null] =
    values;
  const pet = [name, categoryId, status, atMs, atMs, keyId, ...profileValues({})];
  const [id = 0n] = await tx.addRows(ADD_BY_KEY, [pet]);
  await putTexts(tx, [{ id, name: name as string, categoryId: categoryId as bigint }]);
  const change = ["pet.created", id, null, null, stateAfter, atMs, keyId, null, null];
  const [number = 0n] = await tx.addRows(RECORD, [change]);
  return { id, number };
}

export async function countPets(db: Queries): Promise<Record<PetStatus, number>> {
  const rows = await db.all("SELECT status, pets FROM inventory");
  const counts = new Map(rows.map((row) => [row.status, Number(row.pets)]));
  const each = PET_STATUSES.map((status) => [status, counts.get(status) ?? 0]);
  return Object.fromEntries(each) as Record<PetStatus, number>;
}

export type PetToAdd = Omit<Pet, "id"> & { profile?: Profile | undefined; shelterId?: bigint | undefined };

/**
 * Adds many animals with their history, in an `inOrder` transaction; without `shelterId`, to the first shelter, whatever
 * the shelter of the key is. Resolves to their ids in ascending order. Throws `invalid_body` for an unknown shelter.
 */
export async function addPets(tx: Transaction, pets: PetToAdd[], origin: ChangeOrigin): Promise<bigint[]> {
  if (pets.length === 0) return [];
  const { atMs } = origin;
  const shelterIds = pets.map(({ shelterId = FIRST_SHELTER.id }) => shelterId);
  const rows = pets.map(({ name, categoryId, status, profile = {} }, index) => [
    name,
    categoryId,
    status,
    atMs,
    atMs,
    shelterIds[index] as bigint,
    ...profileValues(profile),
  ]);
  // Sent together, and the next two as well: an import into PostgreSQL takes 17 % less time.
  const [names, shelters, ids] = await awaitAll([
    findCategoryNames(
      tx,
      pets.filter(hasProfile).map(({ categoryId }) => categoryId),
    ),
    findSummaries(tx, shelterIds),
    tx.addRows(ADD_MANY, rows),
  ]);
  const added = pets.map(({ name, categoryId, status, profile = {} }, index): Listing => {
    const categoryName = names.get(categoryId);
    const shelterId = shelterIds[index] as bigint;
    return {
      name,
      categoryId,
      status,
      id: ids[index] as bigint,
      categoryName,
      profile,
      photos: [],
      shelter: requireShelter(shelters.get(shelterId), shelterId),
      createdAtMs: atMs,
      updatedAtMs: atMs,
    };
  });
  // A profile is a second change of its animal, so that readers of the events get it.
  const changes = added.flatMap((pet): NewChange[] => [
    { type: "pet.created", petId: pet.id, to: stateOf(pet), ...origin },
    ...(hasProfile(pet) ? [listingChange({ ...pet, profile: {} }, pet, origin)] : []),
  ]);
  await awaitAll([putTexts(tx, added), recordChanges(tx, changes)]);
  return ids;
}

function hasProfile({ profile = {} }: PetToAdd): boolean {
  return !isEmptyProfile(profile);
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
     WHERE status = $1 AND id IN (${placeholders(ids.length, 4)}) RETURNING ${COLUMNS}`,
    [from, to, origin.atMs, ...ids],
  );
  return rows.map(toPet).map((pet) => updateOf({ ...pet, status: from }, pet, origin));
}

/** The record of a change of the animal itself. */
export function updateOf(before: Pet, after: Pet, origin: ChangeOrigin): NewChange {
  return { type: "pet.updated", petId: after.id, from: stateOf(before), to: stateOf(after), ...origin };
}

function stateOf({ name, categoryId, status }: Pet): ChangedState {
  return { name, categoryId, status };
}

function toPet(row: Row): Pet {
  return {
    id: row.id as bigint,
    name: row.name as string,
    categoryId: row.category_id as bigint,
    status: row.status as PetStatus,
  };
}
