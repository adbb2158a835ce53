// A row of `pets` as an animal, without its profile.

import type { ChangedState, ChangeOrigin } from "../../../domain/animals/history.ts";
import type { Pet, PetStatus } from "../../../domain/animals/pet.ts";
import type { Row } from "../../database.ts";
import type { NewChange } from "./history.ts";

export const PET_COLUMNS = "id, name, category_id, status";

export function toPet(row: Row): Pet {
  return {
    id: row.id as bigint,
    name: row.name as string,
    categoryId: row.category_id as bigint,
    status: row.status as PetStatus,
  };
}

export function stateOf({ name, categoryId, status }: Pet): ChangedState {
  return { name, categoryId, status };
}

/** The record of a change of the animal itself. */
export function updateOf(before: Pet, after: Pet, origin: ChangeOrigin): NewChange {
  return { type: "pet.updated", petId: after.id, from: stateOf(before), to: stateOf(after), ...origin };
}
