// Listings in SQL: animals with their profiles.

import type { ChangeOrigin } from "../../../domain/animals/history.ts";
import {
  type Listing,
  type ListingFilter,
  type ListingStore,
  listingState,
} from "../../../domain/animals/listing.ts";
import { type Profile, reviseProfile } from "../../../domain/animals/profile.ts";
import { ServiceError } from "../../../domain/basics/errors.ts";
import type { Page } from "../../../domain/basics/page.ts";
import { requirePrecondition } from "../../../domain/basics/precondition.ts";
import { requireShelter, type ShelterSummary } from "../../../domain/shelters/shelter.ts";
import type { Database, Queries, Row, SqlValue, Transaction } from "../../database.ts";
import { putTexts } from "../../search/pet-texts.ts";
import { createSearch } from "../../search/search.ts";
import { createBindValue, createStatement } from "../../statements.ts";
import { toObject, toOptional } from "../../tables.ts";
import { keyShelterColumn, requireNetworkKey, requireOwnShelter } from "../shelters/own-shelter.ts";
import { findSummaries, summarySql, toSummary } from "../shelters/summaries.ts";
import { type ChangeListener, createRecordedTransactions, type NewChange } from "./history.ts";
import { createListingCount } from "./listing-count.ts";
import { selectIds } from "./listing-filter.ts";
import { createListingPages } from "./listing-pages.ts";
import { readPhotos } from "./photo-column.ts";
import { PROFILE_COLUMNS, profileValues } from "./profile-columns.ts";

const COLUMNS = [
  "id",
  "name",
  "category_id",
  "status",
  "profile",
  "photos",
  "shelter_id",
  "created_at_ms",
  "updated_at_ms",
];
const MEMBER_COLUMNS = "id, name, category_id, status, category_name, created_at_ms, updated_at_ms";
const LOCK = `SELECT ${COLUMNS.join(", ")}, ${keyShelterColumn("$2")} FROM pets WHERE id = $1`;
const FIND_NAMES = `SELECT categories.name AS category_name, summary AS shelter
  FROM shelters LEFT JOIN categories ON categories.id = $1 WHERE shelters.id = $2`;
export const LISTING_COLUMNS = `${COLUMNS.map((column) => `pets.${column}`).join(", ")},
  categories.name AS category_name, ${summarySql("pets.shelter_id")} AS shelter`;
export const WITH_CATEGORY = "LEFT JOIN categories ON categories.id = pets.category_id";
const FIND = createStatement({
  name: "findListing",
  values: "id bigint",
  one: `SELECT ${LISTING_COLUMNS} FROM pets ${WITH_CATEGORY} WHERE pets.id = $1`,
  many: (input) => `SELECT n, ${LISTING_COLUMNS} FROM ${input} JOIN pets USING (id) ${WITH_CATEGORY}`,
});
const UPDATE = `UPDATE pets SET (${PROFILE_COLUMNS}) = ($2, $3, $4, $5, $6, $7, $8), updated_at_ms = $9, shelter_id = $10 WHERE id = $1`;

export function createListingStore(db: Database, changed: ChangeListener = async () => {}): ListingStore {
  const change = createRecordedTransactions(db, changed);
  const search = createSearch(db);

  return {
    list: createListingPages(db, search),
    count: createListingCount(db, search),

    async find(id) {
      const row = await db.batched(FIND, [id]);
      return row && toListing(row);
    },

    updateProfile: (id, { shelterId, ...changes }, origin, precondition) =>
      change(async (tx, { record }) => {
        const listing = await lockOwnListing(tx, id, origin);
        if (listing === undefined) return undefined;
        if (shelterId !== undefined) await requireNetworkKey(tx, origin);
        requirePrecondition(precondition, listing);
        const profile = reviseProfile(listing.profile, changes);
        const shelter = shelterId === undefined ? listing.shelter : await findShelter(tx, shelterId);
        const isSameProfile = JSON.stringify(profile) === JSON.stringify(listing.profile);
        if (isSameProfile && shelter.id === listing.shelter.id) return listing;
        await refuseTakenId(tx, id, profile);
        const next = { ...listing, profile, shelter, updatedAtMs: origin.atMs };
        await writeProfile(tx, next);
        await putTexts(tx, [next]);
        await record([listingChange(listing, next, origin)]);
        return next;
      }),
  };
}

/** In ascending order of id. */
export async function listListings(
  db: Queries,
  { statuses = [], shelterId }: Pick<ListingFilter, "statuses"> & { shelterId?: bigint | undefined },
  { limit, after = 0n }: Page,
): Promise<Listing[]> {
  const values: SqlValue[] = [after, limit];
  const conditions = shelterId === undefined ? [] : [`shelter_id = ${createBindValue(values)(shelterId)}`];
  const ids = selectIds({ after: "$1", limit: "$2" }, { sort: "oldest", statuses, conditions });
  const sql = `SELECT ${LISTING_COLUMNS} FROM (${ids}) AS page JOIN pets ON pets.id = page.id ${WITH_CATEGORY} ORDER BY pets.id`;
  return (await db.all(sql, values)).map(toListing);
}

/**
 * The listing, whose animal is locked until the transaction ends. Undefined for an unknown id. Throws `other_shelter` if the
 * key may not change it.
 */
export async function lockOwnListing(
  tx: Transaction,
  id: bigint,
  { keyId }: ChangeOrigin,
): Promise<Listing | undefined> {
  const row = await tx.lock(LOCK, [id, keyId ?? null]);
  if (row === undefined) return undefined;
  requireOwnShelter(row);
  const names = await tx.first(FIND_NAMES, [row.category_id ?? null, row.shelter_id ?? null]);
  return toListing({ ...row, ...names });
}

/** The record of a change of a profile, of photos or of the shelter. */
export function listingChange(before: Listing, after: Listing, origin: ChangeOrigin): NewChange {
  const { name, categoryId, status, profile, shelter } = before;
  const hasMoved = shelter.id !== after.shelter.id;
  const from = { name, categoryId, status, profile, ...(hasMoved && { shelter }) };
  return { type: "listing.updated", petId: after.id, from, to: listingState(after, origin.atMs), ...origin };
}

/** Throws `invalid_body` for an unknown id. It cannot be deleted before this transaction ends: they run one after another. */
async function findShelter(tx: Transaction, id: bigint): Promise<ShelterSummary> {
  return requireShelter((await findSummaries(tx, [id])).get(id), id);
}

/** Such transactions run one after another, so that no other can take the id before this one ends. */
async function refuseTakenId(tx: Transaction, id: bigint, { externalId }: Profile): Promise<void> {
  if (externalId === undefined) return;
  const sql = "SELECT id FROM pets WHERE external_id = $1 AND id <> $2";
  if ((await tx.first(sql, [externalId, id])) !== undefined) throw new ServiceError("external_id_taken");
}

async function writeProfile(tx: Transaction, { id, profile, updatedAtMs, shelter }: Listing): Promise<void> {
  await tx.run(UPDATE, [id, ...profileValues(profile), updatedAtMs, shelter.id]);
}

export function toListing(row: Row): Listing {
  return {
    ...toObject<Listing>(row, MEMBER_COLUMNS),
    profile: JSON.parse(toOptional<string>(row.profile) ?? "{}"),
    photos: readPhotos(row.photos as string | null),
    shelter: toSummary(row.shelter_id, row.shelter),
  };
}
