// Statements that write many rows: SQLite runs them for each row, PostgreSQL once, with an array for each column.

import type { RowsStatement } from "./database.ts";

type Type = RowsStatement["types"][number];

interface RowsOptions {
  /** Name and type of each column, for example "id bigint". */
  columns: string;
  one: string;
  /** SQL that reads the rows from the table `input`, with their numbers in the column `n`. */
  many: (input: string) => string;
}

export function createRowsStatement({ columns, one, many }: RowsOptions): RowsStatement {
  const each = columns.split(", ").map((column) => column.split(" ") as [name: string, type: Type]);
  const arrays = each.map(([, type], index) => `$${index + 1}::${type}[]`);
  const names = [...each.map(([name]) => name), "n"];
  return {
    one,
    many: many(`unnest(${arrays.join(", ")}) WITH ORDINALITY AS input (${names.join(", ")})`),
    types: each.map(([, type]) => type),
  };
}
