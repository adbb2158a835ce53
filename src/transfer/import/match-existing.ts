// Finds the animals of the store that the rows of a file change, and counts what an import would do.

import {
  type ImportedPet,
  isComplete,
  type KnownPet,
  reviseKnown,
} from "../../domain/animals/imported-pet.ts";
import { externalIdOf } from "../../domain/animals/profile.ts";
import { ServiceError } from "../../domain/basics/errors.ts";
import { showText } from "../../tools/shown-text.ts";
import type { FileRow } from "../formats/file-row.ts";

type Row = FileRow<ImportedPet>;

export interface Planned {
  added: number;
  updated: number;
  unchanged: number;
}

export interface ExistingPets {
  /** The rows, with a problem for each that the store does not allow. */
  resolveRows(rows: Row[]): Promise<Row[]>;
  planned: Planned;
}

/** Finds animals of the store by external id. */
export type FindKnown = (externalIds: string[]) => Promise<Map<string, KnownPet>>;

export function createExistingPets(find: FindKnown): ExistingPets {
  /** The line of each external id in the file. */
  const lines = new Map<string, number>();
  const planned = { added: 0, updated: 0, unchanged: 0 };

  function findProblem(line: number, pet: ImportedPet, known: Map<string, KnownPet>): string | undefined {
    const id = externalIdOf(pet) ?? "";
    const other = lines.get(id);
    if (other !== undefined) return `externalId ${showText(id)} is also on line ${other}`;
    if (id !== "") lines.set(id, line);
    const before = known.get(id);
    if (before !== undefined) return planUpdate(before, pet);
    if (!isComplete(pet))
      return `name and categoryId are required, because no animal has the externalId ${showText(id)}`;
    planned.added += 1;
    return undefined;
  }

  function planUpdate(before: KnownPet, pet: ImportedPet): string | undefined {
    try {
      const { isPetChanged, isProfileChanged } = reviseKnown(before, pet);
      planned[isPetChanged || isProfileChanged ? "updated" : "unchanged"] += 1;
      return undefined;
    } catch (error) {
      if (error instanceof ServiceError) return error.message;
      throw error;
    }
  }

  return {
    async resolveRows(rows) {
      const ids = rows.flatMap((row) => ("pet" in row ? (externalIdOf(row.pet) ?? []) : []));
      const known = ids.length === 0 ? new Map<string, KnownPet>() : await find(ids);
      return rows.map((row) => {
        const problem = "pet" in row ? findProblem(row.line, row.pet, known) : undefined;
        return problem === undefined ? row : { line: row.line, problem };
      });
    },
    planned,
  };
}
