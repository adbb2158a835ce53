// An import remembers which rows of its file have become animals: rows that were skipped as bad can be imported later.

import { forBothEngines, type Migration } from "./migration.ts";

/** NULL for imports of earlier releases: all rows that they have read count as imported. */
export const importedRows: Migration = {
  version: 16,
  name: "imported rows",
  ...forBothEngines(["ALTER TABLE imports ADD COLUMN imported BLOB"]),
};
