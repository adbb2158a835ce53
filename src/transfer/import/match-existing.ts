// Finds the animals of the store that the rows of a file change, and what becomes of each row.

import {
  isComplete,
  type KnownPet,
  prepareImported,
  type Revision,
  reviseKnown,
} from "../../domain/animals/imported-pet.ts";
import type { Listing } from "../../domain/animals/listing.ts";
import { externalIdOf } from "../../domain/animals/profile.ts";
import { ServiceError } from "../../domain/basics/errors.ts";
import { showText, withoutStop } from "../../tools/shown-text.ts";
import { createLineIndex } from "./line-index.ts";
import type { HeadingOf, Row } from "./read-row.ts";
import type { RowShelters } from "./row-shelters.ts";

export type Outcome = "added" | "updated" | "unchanged";

const CATEGORY_MISSING =
  "a category is required: give a column categoryId or categoryName, or set categoryId (--category)";

/** Finds animals of the store by external id. */
export type FindKnown = (externalIds: string[]) => Promise<Map<string, KnownPet>>;

/** Sets the animals of the store that the rows change. An externalId may be in the file once; a new animal needs a name. */
export function createMatcher(
  find: FindKnown,
  { headingOf, rowsMax }: { headingOf: HeadingOf; rowsMax: number },
): (rows: Row[]) => Promise<void> {
  const lines = createLineIndex(rowsMax);
  return async (rows) => {
    const ids = rows.flatMap(({ pet }) => externalIdOf(pet) ?? []);
    const known = ids.length === 0 ? new Map<string, KnownPet>() : await find(ids);
    for (const row of rows) {
      const id = externalIdOf(row.pet);
      const other = id && lines.findOrAdd(id, row.line);
      if (other)
        row.problems.push({
          heading: headingOf("externalId"),
          value: id,
          message: `externalId ${showText(id)} is also on line ${other}`,
        });
      row.known = known.get(id ?? "");
      if (row.known === undefined && row.pet.name === undefined && row.problems.length === 0)
        row.problems.push({ heading: headingOf("name"), message: "name is required" });
    }
  };
}

interface PlannedRow {
  outcome: Outcome;
  /** The animal as it would be; one that is added has no id yet. */
  listing: Omit<Listing, "categoryName">;
}

/** Undefined for a row that the store does not allow: it gets the problem. */
export function planRow(row: Row, shelters: RowShelters, nowMs: number): PlannedRow | undefined {
  const { pet, known, problems } = row;
  try {
    const shelter = shelters.shelterOf(row);
    if (known !== undefined) return planUpdate(reviseKnown(known, pet, shelter));
    if (!isComplete(pet)) {
      problems.push({ message: CATEGORY_MISSING });
      return undefined;
    }
    const { shelterId: _, ...added } = prepareImported(pet);
    const times = { createdAtMs: nowMs, updatedAtMs: nowMs };
    return { outcome: "added", listing: { ...added, id: 0n, photos: [], shelter, ...times } };
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    problems.push({ message: withoutStop(error.message) });
    return undefined;
  }
}

function planUpdate({ next, isPetChanged, isProfileChanged }: Revision): PlannedRow {
  return { outcome: isPetChanged || isProfileChanged ? "updated" : "unchanged", listing: next };
}
