// The columns of a profile in the table of animals: its JSON, and what listings are filtered by.

import type { PetStatus } from "../../../domain/animals/pet.ts";
import {
  companionBits,
  companionsOf,
  isEmptyProfile,
  type Profile,
} from "../../../domain/animals/profile.ts";
import type { Queries, SqlValue } from "../../database.ts";

const COLUMNS = ["profile", "species", "sex", "size", "born_on", "external_id", "good_with"];
export const PROFILE_COLUMNS = COLUMNS.join(", ");
/** With their types. */
export const PROFILE_TYPES = COLUMNS.map(
  (column) => `${column} ${column === "good_with" ? "bigint" : "text"}`,
).join(", ");

/** Values for `PROFILE_COLUMNS`. An empty profile is not stored. */
export function profileValues(profile: Profile): SqlValue[] {
  if (isEmptyProfile(profile)) return COLUMNS.map(() => null);
  const { species = null, sex = null, size = null, bornOn = null, externalId = null } = profile;
  const goodWith = companionBits(companionsOf(profile));
  return [JSON.stringify(profile), species, sex, size, bornOn, externalId, goodWith];
}

const CUSTOM_MEMBERS = {
  sqlite: "json_each(profile, '$.custom')",
  postgres: "jsonb_each(CAST(profile AS JSONB) -> 'custom')",
};

/** The members of `custom` that any animal has, in the order of their names. */
export async function listCustomNames(
  db: Queries,
  { status }: { status?: PetStatus | undefined },
): Promise<string[]> {
  // Most profiles have none, and need not be parsed. Inside of a text, quotes are escaped.
  const hasCustom = `profile LIKE '%"custom":{%'${status === undefined ? "" : " AND status = $1"}`;
  const sql = `SELECT DISTINCT member.key FROM pets, ${CUSTOM_MEMBERS[db.engine]} AS member WHERE ${hasCustom}`;
  const rows = await db.all(sql, status === undefined ? [] : [status]);
  return rows.map(({ key }) => key as string).sort();
}

/**
 * SQL of the profile without `custom`, which is the last member. Only there can this text occur: inside of a string, quotes
 * are escaped, and the values in `custom` are strings.
 */
export function profileWithoutCustom(engine: Queries["engine"]): string {
  const at = `${engine === "sqlite" ? "instr" : "strpos"}(profile, '"custom":{')`;
  return `CASE WHEN ${at} > 0 THEN rtrim(substr(profile, 1, ${at} - 1), ',') || '}' ELSE profile END`;
}
