// Finds the shelter of each row by its id or name, and refuses rows that the key may not import.

import { findShelterProblem } from "../../domain/animals/imported-pet.ts";
import { externalIdOf } from "../../domain/animals/profile.ts";
import { nameKey } from "../../domain/basics/name-key.ts";
import { FIRST_SHELTER, type ShelterSummary } from "../../domain/shelters/shelter.ts";
import { showText } from "../../tools/shown-text.ts";
import type { HeadingOf, Row } from "./read-row.ts";

export interface RowShelters {
  /** Sets the shelter that the row names. Adds a problem if there is none, or if the key may not import the row. */
  resolve(row: Row): void;
  /** The shelter of the animal after the import. */
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
  const byName = Map.groupBy(stored, ({ name }) => nameKey(name));

  function findShelter({ pet, shelterName, problems }: Row): void {
    const { shelterId } = pet;
    if (shelterId !== undefined && !byId.has(shelterId))
      problems.push({
        heading: headingOf("shelterId"),
        value: String(shelterId),
        message: `no shelter has the id ${shelterId}`,
      });
    // A shelter may have another name since the export, so the id decides.
    if (shelterId !== undefined || shelterName === undefined) return;
    const [found, another] = byName.get(nameKey(shelterName)) ?? [];
    if (found !== undefined && another === undefined) pet.shelterId = found.id;
    else
      problems.push({
        heading: headingOf("shelterName"),
        value: shelterName,
        message: `${found === undefined ? "no shelter has" : "several shelters have"} the name ${showText(shelterName)}: give the shelterId`,
      });
  }

  return {
    resolve(row) {
      const { pet, known, problems, shelterName } = row;
      const named = pet.shelterId === undefined ? "shelterName" : "shelterId";
      findShelter(row);
      const problem = problems.length > 0 ? undefined : findShelterProblem(pet, known, keyShelterId);
      if (problem === undefined) return;
      const member = problem.member === "shelterId" ? named : problem.member;
      const values = { externalId: externalIdOf(pet), shelterId: String(pet.shelterId), shelterName };
      problems.push({ heading: headingOf(member), value: values[member], message: problem.message });
    },
    shelterOf({ pet, known }) {
      const id = pet.shelterId ?? known?.shelter.id ?? keyShelterId ?? FIRST_SHELTER.id;
      return byId.get(id) ?? known?.shelter ?? FIRST_SHELTER;
    },
  };
}
