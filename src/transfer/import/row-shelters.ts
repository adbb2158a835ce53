// Finds the shelter of each row by its id or name, and refuses rows that the key may not import.

import { categoryKey } from "../../domain/animals/category-key.ts";
import { refuseOtherShelter } from "../../domain/animals/imported-pet.ts";
import { FIRST_SHELTER, type ShelterSummary } from "../../domain/shelters/shelter.ts";
import { showText } from "../../tools/shown-text.ts";
import type { HeadingOf, Row } from "./read-row.ts";

export interface RowShelters {
  /** Sets the shelter that the row names, or adds a problem. */
  resolve(row: Row): void;
  /** The shelter of the animal after the import. Throws `other_shelter` for a row that the key may not import. */
  shelterOf(row: Row): ShelterSummary;
}

interface ShelterOptions {
  /** Undefined if the whole network may be changed. */
  keyShelterId: bigint | undefined;
  headingOf: HeadingOf;
}

export function createRowShelters(
  stored: readonly ShelterSummary[],
  { keyShelterId, headingOf }: ShelterOptions,
): RowShelters {
  const byId = new Map(stored.map((shelter) => [shelter.id, shelter]));
  const byName = Map.groupBy(stored, ({ name }) => categoryKey(name));

  return {
    resolve({ pet, shelterName, problems }) {
      const { shelterId } = pet;
      if (shelterId !== undefined && !byId.has(shelterId))
        problems.push({
          heading: headingOf("shelterId"),
          value: String(shelterId),
          message: `no shelter has the id ${shelterId}`,
        });
      // A shelter may have another name since the export, so the id decides.
      if (shelterId !== undefined || shelterName === undefined) return;
      const [found, another] = byName.get(categoryKey(shelterName)) ?? [];
      if (found !== undefined && another === undefined) pet.shelterId = found.id;
      else
        problems.push({
          heading: headingOf("shelterName"),
          value: shelterName,
          message: `${found === undefined ? "no shelter has" : "several shelters have"} the name ${showText(shelterName)}: give the shelterId`,
        });
    },
    shelterOf({ pet, known }) {
      refuseOtherShelter(pet, known, keyShelterId);
      const id = pet.shelterId ?? known?.shelter.id ?? keyShelterId ?? FIRST_SHELTER.id;
      return byId.get(id) ?? known?.shelter ?? FIRST_SHELTER;
    },
  };
}
