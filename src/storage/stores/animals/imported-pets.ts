// Animals of a file in SQL: adds the new ones, and changes those whose externalId is known.

import type { ChangeOrigin } from "../../../domain/animals/history.ts";
import {
  findShelterProblem,
  type ImportedPet,
  isComplete,
  type KnownPet,
  prepareImported,
  type Revision,
  reviseKnown,
} from "../../../domain/animals/imported-pet.ts";
import type { Listing } from "../../../domain/animals/listing.ts";
import { externalIdOf } from "../../../domain/animals/profile.ts";
import { ServiceError } from "../../../domain/basics/errors.ts";
import { FIRST_SHELTER, requireShelter, type ShelterSummary } from "../../../domain/shelters/shelter.ts";
import { awaitAll } from "../../../tools/await-all.ts";
import { withoutStop } from "../../../tools/shown-text.ts";
import type { Queries, Transaction } from "../../database.ts";
import { putTexts } from "../../search/pet-texts.ts";
import { createStatement } from "../../statements.ts";
import { placeholders, toJsonRows, toOptional } from "../../tables.ts";
import { findKeyShelter } from "../shelters/own-shelter.ts";
import { findSummaries } from "../shelters/summaries.ts";
import { findCategoryNames } from "./categories.ts";
import { type NewChange, recordChanges } from "./history.ts";
import { LISTING_COLUMNS, listingChange, toListing, WITH_CATEGORY } from "./listings.ts";
import { addPets, type PetToAdd } from "./new-pets.ts";
import { updateOf } from "./pet-rows.ts";
import { OPEN_ORDER_OF_PET } from "./pets.ts";
import { addPhotos } from "./photos.ts";
import { PROFILE_COLUMNS, PROFILE_TYPES, profileValues } from "./profile-columns.ts";

/** `IS NOT NULL` lets both engines use the index, which has only such animals. */
const FIND = `SELECT ${LISTING_COLUMNS}, (${OPEN_ORDER_OF_PET}) AS open_order_id
  FROM jsonb_each($1) AS wanted JOIN pets ON external_id = wanted.value ->> 0 AND external_id IS NOT NULL ${WITH_CATEGORY}`;
const CHANGED = `name, category_id, status, updated_at_ms, shelter_id, ${PROFILE_COLUMNS}`;
const CHANGES = CHANGED.split(", ").map((column) => `${column} = input.${column}`);
const UPDATE = createStatement({
  name: "updatePets",
  isWrite: true,
  values: `id bigint, name text, category_id bigint, status text, updated_at_ms bigint, shelter_id bigint, ${PROFILE_TYPES}`,
  one: `UPDATE OR FAIL pets SET (${CHANGED}) = (${placeholders(CHANGES.length, 2)}) WHERE id = $1`,
  many: (input) => `UPDATE pets SET ${CHANGES.join(", ")} FROM ${input} WHERE pets.id = input.id`,
});

/** By id. */
type Shelters = Map<bigint, ShelterSummary>;

/** A row of a file, with its line for messages. */
export interface ImportedRow {
  line: number;
  pet: ImportedPet;
  /** Stored images of its photos. */
  hashes?: string[] | undefined;
}

/** The animals that have one of these external ids, by it. */
export async function findKnownPets(db: Queries, externalIds: string[]): Promise<Map<string, KnownPet>> {
  if (externalIds.length === 0) return new Map();
  const rows = await db.all(FIND, [toJsonRows(externalIds.map((id) => [id]))]);
  const known = rows.map((row) => ({
    ...toListing(row),
    openOrderId: toOptional<bigint>(row.open_order_id),
  }));
  return new Map(known.map((pet) => [pet.profile.externalId ?? "", pet]));
}

/**
 * Needs an `inOrder` transaction; no two rows may have the same externalId. Resolves to the ids of the added animals in ascending
 * order, and to the numbers of changed ones and of new photos. Throws `file_has_bad_rows` for a row that the store does not allow.
 */
export async function putPets(
  tx: Transaction,
  rows: ImportedRow[],
  origin: ChangeOrigin,
): Promise<{ ids: bigint[]; updated: number; photos: number }> {
  const [known, keyShelterId] = await awaitAll([
    findKnownPets(
      tx,
      rows.flatMap(({ pet }) => externalIdOf(pet) ?? []),
    ),
    findKeyShelter(tx, origin),
  ]);
  const knownOf = ({ pet }: ImportedRow) => known.get(externalIdOf(pet) ?? "");
  const shelters = await checkShelters(tx, rows, { knownOf, keyShelterId });
  const added = rows.filter((row) => knownOf(row) === undefined);
  const shelterId = keyShelterId ?? FIRST_SHELTER.id;
  const ids = await addPets(
    tx,
    added.map((row) => ({ shelterId, ...toNewPet(row) })),
    origin,
  );
  const changed = rows.flatMap((row) => {
    const before = knownOf(row);
    return before === undefined ? [] : { before, ...revise(before, row, shelters) };
  });
  const updated = await updatePets(tx, changed, origin);
  const newIds = new Map(added.map((row, index) => [row, ids[index]]));
  let photos = 0;
  for (const row of rows.filter(({ hashes = [] }) => hashes.length > 0)) {
    const id = (knownOf(row)?.id ?? newIds.get(row)) as bigint;
    photos += await putPhotos(tx, id, row, origin);
  }
  return { ids, updated, photos };
}

/** Resolves to the shelters that the rows name. */
async function checkShelters(
  tx: Transaction,
  rows: ImportedRow[],
  {
    knownOf,
    keyShelterId,
  }: { knownOf(row: ImportedRow): KnownPet | undefined; keyShelterId: bigint | undefined },
): Promise<Shelters> {
  const ids = rows.flatMap(({ pet }) => pet.shelterId ?? []);
  const shelters: Shelters = ids.length === 0 ? new Map() : await findSummaries(tx, ids);
  for (const row of rows) {
    const { line, pet } = row;
    const problem = findShelterProblem(pet, knownOf(row), keyShelterId);
    if (problem !== undefined) throw refused(line, problem.message);
    const { shelterId } = pet;
    if (shelterId !== undefined) refusing(line, () => requireShelter(shelters.get(shelterId), shelterId));
  }
  return shelters;
}

async function putPhotos(
  tx: Transaction,
  id: bigint,
  { line, hashes = [] }: ImportedRow,
  origin: ChangeOrigin,
): Promise<number> {
  try {
    return await addPhotos(tx, id, hashes, origin);
  } catch (error) {
    if (error instanceof ServiceError && error.code === "too_many_photos") throw refused(line, error.message);
    throw error;
  }
}

/** Resolves to the number of animals that change. */
async function updatePets(
  tx: Transaction,
  all: Array<Revision & { before: Listing }>,
  origin: ChangeOrigin,
): Promise<number> {
  const changed = all.filter(({ isPetChanged, isProfileChanged }) => isPetChanged || isProfileChanged);
  if (changed.length === 0) return 0;
  const rows = changed.map(({ next: { id, name, categoryId, status, profile, shelter } }) => [
    id,
    name,
    categoryId,
    status,
    origin.atMs,
    shelter.id,
    ...profileValues(profile),
  ]);
  await tx.runRows(UPDATE, rows);
  await putTexts(
    tx,
    changed.map(({ next }) => next),
  );
  const ids = changed.map(({ next }) => next.categoryId);
  const names = await findCategoryNames(tx, ids);
  const changes = changed.flatMap(({ before, next, isPetChanged, isProfileChanged }): NewChange[] => {
    const after = { ...next, categoryName: names.get(next.categoryId) };
    const from = { ...after, profile: before.profile, shelter: before.shelter };
    return [
      ...(isPetChanged ? [updateOf(before, next, origin)] : []),
      ...(isProfileChanged ? [listingChange(from, after, origin)] : []),
    ];
  });
  await recordChanges(tx, changes);
  return changed.length;
}

/** The file was checked before, so these are changes that others have made since. */
function toNewPet({ line, pet }: ImportedRow): PetToAdd {
  if (isComplete(pet)) return prepareImported(pet);
  throw refused(line, "the animal was deleted since the check");
}

function revise(known: KnownPet, { line, pet }: ImportedRow, shelters: Shelters): Revision {
  return refusing(line, () => reviseKnown(known, pet, shelters.get(pet.shelterId ?? 0n)));
}

function refusing<T>(line: number, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof ServiceError) throw refused(line, error.message);
    throw error;
  }
}

function refused(line: number, problem: string): ServiceError {
  return new ServiceError("file_has_bad_rows", {
    message: `The store was changed while the file was imported, and the row on line ${line} does not fit any more: ${withoutStop(problem)}. The rows before it may be done; import the file again to see what remains.`,
  });
}
