// Cells that repeat: most columns of a profile have few different values, so each of them is validated once.

import { PROFILE_COLUMNS, type ProfileColumn, REMEMBERED_MAX } from "./files/profile-cells.ts";

/** Every animal has its own. */
const UNIQUE: readonly ProfileColumn[] = ["externalId", "description", "videoUrl"];

type Cells = Record<string, unknown>;

export interface RepeatedCells {
  /** The cells of a row that no row noted before has in the same column. */
  withoutKnown(cells: Cells): Cells;
  /** Notes the cells of a valid row. */
  note(cells: Cells): void;
}

export function createRepeatedCells(): RepeatedCells {
  const repeating = PROFILE_COLUMNS.filter((column) => !UNIQUE.includes(column));
  const known = new Map<string, Set<unknown>>(repeating.map((column) => [column, new Set()]));
  return {
    withoutKnown(cells) {
      const others: Cells = {};
      for (const column in cells) if (!known.get(column)?.has(cells[column])) others[column] = cells[column];
      return others;
    },
    note(cells) {
      for (const column in cells) {
        const values = known.get(column);
        if (values !== undefined && values.size < REMEMBERED_MAX) values.add(cells[column]);
      }
    },
  };
}
