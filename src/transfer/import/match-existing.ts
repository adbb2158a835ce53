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

export interface Planned {
  added: number;
  updated: number;
  unchanged: number;
}

export interface KnownPets {
  /** The rows, with a problem for each that the store does not allow. */
  settle(rows: Array<FileRow<ImportedPet>>): Promise<Array<FileRow<ImportedPet>>>;
  planned(): Planned;
  /** Lines whose problem only `settle` found. */
  refused(): ReadonlySet<number>;
}

/** Finds animals of the store by external id. */
export type FindKnown = (externalIds: string[]) => Promise<Map<string, KnownPet>>;

export function createKnownPets(find: FindKnown): KnownPets {
  const lines = new Map<string, number>();
  const refused = new Set<number>();
  const planned = { added: 0, updated: 0, unchanged: 0 };

  function settleRow(row: FileRow<ImportedPet>, known: Map<string, KnownPet>): FileRow<ImportedPet> {
    if ("problem" in row) return row;
    const { line, pet } = row;
    const problem = findProblem(line, pet, known);
    if (problem === undefined) return row;
    refused.add(line);
    return { line, problem };
  }

  function findProblem(line: number, pet: ImportedPet, known: Map<string, KnownPet>): string | undefined {
    const id = externalIdOf(pet);
    const before = id === undefined ? undefined : known.get(id);
    if (id !== undefined) {
      const other = lines.get(id);
      if (other !== undefined) return `externalId ${showText(id)} is also on line ${other}`;
      lines.set(id, line);
    }
    if (before !== undefined) return planUpdate(before, pet);
    if (!isComplete(pet))
      return `name and categoryId are required, because no animal has the externalId ${showText(id ?? "")}`;
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
    async settle(rows) {
      const ids = rows.flatMap((row) => ("pet" in row ? (externalIdOf(row.pet) ?? []) : []));
      const known = ids.length === 0 ? new Map<string, KnownPet>() : await find(ids);
      return rows.map((row) => settleRow(row, known));
    },
    planned: () => planned,
    refused: () => refused,
  };
}
