// The file formats, and animals as lines of a file, exactly as they are stored. CSV is as in RFC 4180.

import { type Pet, petJson } from "../../domain/pet.ts";
import { guardFormula } from "./excel-text.ts";

export const FILE_FORMATS = ["csv", "ndjson"] as const;
export type FileFormat = (typeof FILE_FORMATS)[number];

export interface TextOptions {
  format: FileFormat;
  /** CSV only. */
  delimiter?: string | undefined;
  /** CSV for spreadsheets: byte order mark, CRLF, no formulas, and the names of categories. */
  excel?: boolean | undefined;
}

/** `head` is the text before the first animal. */
export interface AnimalText {
  head: string;
  row(pet: Pet, categoryName?: string): string;
}

export function createAnimalText({ format, delimiter = ",", excel = false }: TextOptions): AnimalText {
  if (format === "ndjson") return { head: "", row: (pet) => `${petJson(pet)}\n` };
  const line = (fields: string[]) => `${fields.join(delimiter)}${excel ? "\r\n" : "\n"}`;
  if (!excel)
    return {
      head: line(["id", "name", "categoryId", "status"]),
      row: ({ id, name, categoryId, status }) => line([`${id}`, quoted(name), `${categoryId}`, status]),
    };
  const guarded = (text: string) => quoted(guardFormula(text));
  return {
    head: `\uFEFF${line(["id", "name", "categoryId", "categoryName", "status"])}`,
    row: ({ id, name, categoryId, status }, categoryName = "") =>
      line([`${id}`, guarded(name), `${categoryId}`, guarded(categoryName), status]),
  };
}

/** Fields with any usual delimiter are quoted, not only with ours, because readers guess it. */
const NEEDS_QUOTES = /[",;\t|\r\n]/;

function quoted(text: string): string {
  return NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
