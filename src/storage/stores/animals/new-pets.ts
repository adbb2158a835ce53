// Adds animals in SQL with their history: one, or many of an import.

import type { ChangeOrigin } from "../../../domain/animals/history.ts";
import type { Listing } from "../../../domain/animals/listing.ts";
import type { Pet } from "../../../domain/animals/pet.ts";
import { isEmptyProfile, type Profile } from "../../../domain/animals/profile.ts";
import { petNeedleSql, searchTextsOf } from "../../../domain/animals/search-text.ts";
import { FIRST_SHELTER, requireShelter } from "../../../domain/shelters/shelter.ts";
import { awaitAll } from "../../../tools/await-all.ts";
import type { Row, SqlValue, Transaction } from "../../database.ts";
import { putTexts } from "../../search/pet-texts.ts";
import { createStatement } from "../../statements.ts";
import { placeholders } from "../../tables.ts";
import { newShelterSql } from "../shelters/own-shelter.ts";
import { findSummaries } from "../shelters/summaries.ts";
import { findCategoryNames } from "./categories.ts";
import { NEWEST_NUMBER, type NewChange, RECORD, recordChanges, toStateText } from "./history.ts";
import { listingChange } from "./listings.ts";
import { PET_COLUMNS, stateOf } from "./pet-rows.ts";
import { PROFILE_COLUMNS, PROFILE_TYPES, profileValues } from "./profile-columns.ts";

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
      RETURNING ${PET_COLUMNS}
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

/** Resolves to the id and the number of the change. */
export async function addPet(
  tx: Transaction,
  pet: Omit<Pet, "id">,
  { atMs, keyId }: ChangeOrigin,
): Promise<{ id: bigint; number: number }> {
  const { name, categoryId, status } = pet;
  const state = toStateText(pet);
  // SQLite writes the texts at the commit.
  const texts = tx.engine === "sqlite" ? { text: "", name: "" } : searchTextsOf(pet);
  const values = [name, categoryId, status, state, atMs, keyId ?? null, texts.text, texts.name];
  const row = await tx.finish(CREATE, values);
  return { id: row?.id as bigint, number: Number(row?.number) };
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
