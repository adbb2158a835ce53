// The first reading of a file: how many rows it has, samples of each column, and the order of its dates.

import type { DateOrder, ImportColumn } from "../../domain/animals/animal-import.ts";
import { type ColumnOrder, chooseOrder, createOrderFinder, ORDER_WORDS } from "../formats/cell-values.ts";
import { isGuarded } from "../formats/csv-text.ts";
import { type Column, suggestMember } from "../formats/find-columns.ts";
import { invalidFile } from "../formats/lines.ts";
import { showField } from "./field-text.ts";
import type { SourceFile } from "./source-file.ts";

const SAMPLES_MAX = 3;

export interface Survey {
  rows: number;
  /** Whether a cell has an apostrophe that `export --excel` may have added. */
  hasGuards: boolean;
  /** By heading. */
  samples: string[][];
  /** How the dates of each column are read if its order is not given. */
  orders: ColumnOrder[];
}

interface ColumnSurvey {
  samples: Set<string>;
  finder: ReturnType<typeof createOrderFinder>;
}

/** Throws `invalid_file` for more rows. */
export async function surveyFile(source: SourceFile, rowsMax: number): Promise<Survey> {
  const columns: ColumnSurvey[] = [];
  let rows = 0;
  let hasGuards = false;
  for await (const { fields = [], problem } of source.read("bytes read")) {
    rows += 1;
    if (rows > rowsMax)
      throw invalidFile(
        `The file has more than ${rowsMax.toLocaleString("en")} rows. Send it in parts, each with the heading line, or use the import command.`,
      );
    if (problem !== undefined) continue;
    for (const [index, field] of fields.entries()) {
      if (field === undefined || field === null || field === "") continue;
      columns[index] ??= { samples: new Set(), finder: createOrderFinder() };
      const { samples, finder } = columns[index] as ColumnSurvey;
      if (samples.size < SAMPLES_MAX) samples.add(showField(field));
      if (typeof field !== "string") continue;
      finder.add(field);
      hasGuards ||= isGuarded(field);
    }
  }
  const all = Array.from(source.headings(), (_, index) => columns[index]);
  return {
    rows,
    hasGuards,
    samples: all.map((column) => [...(column?.samples ?? [])].filter((sample) => sample !== "")),
    orders: all.map((column) => column?.finder.order() ?? "ymd"),
  };
}

/** How each kind is read, in words. */
const READ_AS: Partial<Record<Column["kind"], string>> = {
  lines: "text",
  boolean: "yes or no",
  answer: "yes, no or unknown",
  integer: "whole number",
  fee: "decimal",
  age: "age, as an estimated date of birth",
  photos: "list of photos",
};

/** Every column of the file, in its order. A column that several members are read from is there for each. */
export function describeColumns(
  source: SourceFile,
  columns: readonly Column[],
  { samples, orders }: Survey,
  dateOrder: DateOrder,
): ImportColumn[] {
  return source.headings().flatMap((heading, index): ImportColumn[] => {
    const found = columns.filter((column) => column.index === index);
    const common = { heading, samples: samples[index] ?? [] };
    if (found.length > 0)
      return found.map((column) => {
        const order = chooseOrder(dateOrder, orders[index]);
        return { ...common, member: column.member, readAs: describeKind(column, order) };
      });
    // Spreadsheet programs add columns without a heading.
    if (heading === "" && common.samples.length === 0) return [];
    const meant = suggestMember(heading, columns);
    return [
      { ...common, member: null, readAs: meant === undefined ? "ignored" : `ignored; perhaps ${meant}` },
    ];
  });
}

function describeKind({ kind, isOpposite, separators }: Column, order: ColumnOrder): string {
  if (isOpposite) return "yes means no, others are not read";
  if (kind === "date") return `date, ${ORDER_WORDS[order]}`;
  if (kind === "list") return `list, separated by ${[...separators].join(" or ")}`;
  return READ_AS[kind] ?? (kind === "text" ? "text" : `word for ${kind}`);
}
