// The rows of an NDJSON file: one object in the form of createPet per line.

import { MEMBERS } from "./columns.ts";
import { ENCODING_NAMES } from "./encodings.ts";
import { describeReading, type FileRow, type FileRows, type RowOptions, type RowRules } from "./file-row.ts";
import { createLines, type Line } from "./lines.ts";

export function createNdjsonRows(options: RowOptions, rules: RowRules): FileRows {
  const { headings, encoding } = options;
  const lines = createLines();
  const names = MEMBERS.map((member) => [member, headings[member] ?? member] as const);
  let hasCategoryNames = false;

  function readRow({ line, bytes }: Line): FileRow {
    const value = parse(bytes);
    if (typeof value !== "object" || value === null || Array.isArray(value))
      return { line, problem: `the line is not one JSON object in ${ENCODING_NAMES[encoding]}` };
    const given = value as Record<string, unknown>;
    const members = names.filter(([, name]) => Object.hasOwn(given, name));
    const row = Object.fromEntries(members.map(([member, name]) => [member, given[name]]));
    const isCategoryNamed = Object.hasOwn(row, "categoryName");
    hasCategoryNames ||= isCategoryNamed;
    return { line, ...rules.readPet(row, isCategoryNamed) };
  }

  function parse(bytes: Buffer): unknown {
    try {
      return rules.parseJson(bytes);
    } catch {
      return undefined;
    }
  }

  /** Release 1.0 stored the texts of unfinished imports without categoryName. */
  function describeNames(): string {
    const used = names.filter(([member]) => member !== "categoryName" || hasCategoryNames);
    return describeReading(options, Object.fromEntries(used));
  }

  return {
    push: (bytes) => lines.push(bytes).map(readRow),
    end: () => lines.end().map(readRow),
    reading: () => `ndjson ${describeNames()}`,
    delimiter: () => undefined,
    guardedNames: () => 0,
  };
}
