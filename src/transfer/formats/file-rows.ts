// Converts the bytes of a CSV or NDJSON file to new animals, or to problems, each with its line.

import { createCsvRows } from "./csv-rows.ts";
import { createDecoder } from "./decoder.ts";
import type { FileRows, RowOptions, RowRules } from "./file-row.ts";
import { createNdjsonRows } from "./ndjson-rows.ts";

export function createFileRows(options: RowOptions, rules: RowRules): FileRows {
  const decoder = createDecoder(options.encoding);
  const rows = options.format === "csv" ? createCsvRows(options, rules) : createNdjsonRows(options, rules);
  return {
    ...rows,
    push: (bytes) => rows.push(decoder.push(bytes)),
    end: () => [...rows.push(decoder.end()), ...rows.end()],
  };
}
