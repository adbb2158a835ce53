// The check that a key of a shelter changes only what belongs to its shelter. Every change of animals, photos, categories and
// orders goes through it, in its own transaction.

import type { ChangeOrigin } from "../../../domain/animals/history.ts";
import { ServiceError } from "../../../domain/basics/errors.ts";
import { FIRST_SHELTER } from "../../../domain/shelters/shelter.ts";
import type { Queries, Row, SqlValue } from "../../database.ts";
import { toOptional } from "../../tables.ts";

/**
 * SQL: the shelter of the key. NULL for a key of the whole network, for ADMIN_API_KEY, and for commands, which have no key.
 * Read again for each change, because the key may have been moved since the request began.
 */
function keyShelterSql(keyId: string): string {
  return `(SELECT shelter_id FROM api_keys WHERE id = ${keyId})`;
}

/** The column that `requireOwnShelter` needs besides `shelter_id`, in a statement on `pets`. */
export function keyShelterColumn(keyId: string): string {
  return `${keyShelterSql(keyId)} AS key_shelter_id`;
}

/** SQL: the shelter of an animal that the key adds. NULL if it was deleted, which the column refuses. */
export function newShelterSql(keyId: string): string {
  const ofKey = keyShelterSql(keyId);
  return `CASE WHEN ${ofKey} IS NULL THEN ${FIRST_SHELTER.id} ELSE (SELECT id FROM shelters WHERE id = ${ofKey}) END`;
}

/** Throws the error, or `other_shelter` if the column has refused the NULL of `newShelterSql`. */
export function refuseDeletedShelter(error: unknown): never {
  const { code, column, message } = error as { code?: string; column?: string; message?: string };
  const isOnPostgres = code === "23502" && column === "shelter_id";
  const isRefused = isOnPostgres || message === "NOT NULL constraint failed: pets.shelter_id";
  throw isRefused ? shelterDeleted() : error;
}

function shelterDeleted(): ServiceError {
  return new ServiceError("other_shelter", { message: "The shelter of the API key was deleted." });
}

/** SQL: whether the key may see and change an order. A deleted animal belongs to no shelter. */
export function isOwnOrderSql(keyId: string): string {
  const ofPet = "(SELECT shelter_id FROM pets WHERE pets.id = pet_id)";
  return `coalesce(${ofPet} = ${keyShelterSql(keyId)}, ${keyShelterSql(keyId)} IS NULL)`;
}

/** Throws `other_shelter`. For a row of `pets` with the column of `keyShelterColumn`. */
export function requireOwnShelter({ shelter_id, key_shelter_id }: Row): void {
  if (key_shelter_id !== null && key_shelter_id !== shelter_id) throw new ServiceError("other_shelter");
}

/** Throws `other_shelter` for a key of a shelter. */
export async function requireNetworkKey(db: Queries, origin: ChangeOrigin): Promise<void> {
  if ((await findKeyShelter(db, origin)) === undefined) return;
  const message = "The API key belongs to a shelter: only a key of the whole network may change this.";
  throw new ServiceError("other_shelter", { message });
}

/**
 * Undefined if the whole network may be changed. Throws `other_shelter` if the shelter was deleted: the key was revoked before,
 * but one of its requests may still run.
 */
export async function findKeyShelter(
  db: Queries,
  { keyId }: Pick<ChangeOrigin, "keyId">,
): Promise<bigint | undefined> {
  if (keyId === undefined) return undefined;
  const sql = `SELECT ${keyShelterSql("$1")} AS id, ${newShelterSql("$1")} AS existing_id`;
  const row = await db.first(sql, [keyId]);
  if (row?.existing_id === null) throw shelterDeleted();
  return toOptional<bigint>(row?.id as SqlValue);
}
