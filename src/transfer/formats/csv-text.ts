// Animals as lines of a CSV file, as in RFC 4180. The console writes its files with it, too.

import type { Profile } from "../../domain/animals/profile.ts";
import { guardFormula } from "./excel-text.ts";
import { PROFILE_COLUMNS, writeList, writeProfileCells } from "./profile-cells.ts";

export interface CsvOptions {
  delimiter?: string | undefined;
  /** For spreadsheets: byte order mark, CRLF, no formulas, and the names of categories. */
  excel?: boolean | undefined;
}

interface CsvAnimal {
  id: bigint | number;
  name: string;
  categoryId: bigint | number;
  categoryName?: string | undefined;
  status: string;
  profile: Profile;
}

/** `head` is the text before the first animal. */
export interface CsvText {
  head: string;
  row(animal: CsvAnimal, photoUrls: string[]): string;
}

export function createCsvText({ delimiter = ",", excel = false }: CsvOptions): CsvText {
  const line = (fields: string[]) => `${fields.map(quoted).join(delimiter)}${excel ? "\r\n" : "\n"}`;
  const text = excel ? guardFormula : (each: string) => each;
  // Programs may expect the columns of release 1.0 first.
  const head = ["id", "name", "categoryId", ...(excel ? ["categoryName"] : []), "status"];
  return {
    head: `${excel ? "\uFEFF" : ""}${line([...head, ...PROFILE_COLUMNS, "photos"])}`,
    row({ id, name, categoryId, categoryName = "", status, profile }, photoUrls) {
      return line([
        `${id}`,
        text(name),
        `${categoryId}`,
        ...(excel ? [text(categoryName)] : []),
        status,
        ...writeProfileCells(profile).map(text),
        photoUrls.length === 0 ? "" : writeList(photoUrls),
      ]);
    },
  };
}

/** Fields with any usual delimiter are quoted, not only with ours, because readers guess it. */
const NEEDS_QUOTES = /[",;\t|\r\n]/;

function quoted(text: string): string {
  return NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
