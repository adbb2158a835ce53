// The columns of a profile in the table of animals: its JSON, and what listings are filtered by.

import {
  companionBits,
  companionsOf,
  isEmptyProfile,
  type Profile,
} from "../../../domain/animals/profile.ts";
import type { SqlValue } from "../../database.ts";

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
