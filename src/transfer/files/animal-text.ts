// The file formats, and animals as lines of a file, exactly as they are stored. CSV is as in RFC 4180.

import type { Listing } from "../../domain/listing.ts";
import { petJson } from "../../domain/pet.ts";
import { isEmptyProfile } from "../../domain/profile.ts";
import { guardFormula } from "./excel-text.ts";
import { PROFILE_COLUMNS, writeProfileCells } from "./profile-cells.ts";

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
  row(listing: Listing): string;
}

export function createAnimalText({ format, delimiter = ",", excel = false }: TextOptions): AnimalText {
  if (format === "ndjson") return { head: "", row: writeJson };
  const line = (fields: string[]) => `${fields.map(quoted).join(delimiter)}${excel ? "\r\n" : "\n"}`;
  const text = excel ? guardFormula : (each: string) => each;
  // Without --excel, programs may expect the columns of release 1.0 first.
  const nameColumn = excel ? ["categoryName"] : [];
  return {
    head: `${excel ? "\uFEFF" : ""}${line(["id", "name", "categoryId", ...nameColumn, "status", ...PROFILE_COLUMNS])}`,
    row: ({ id, name, categoryId, categoryName = "", status, profile }) =>
      line([
        ...[`${id}`, text(name), `${categoryId}`],
        ...(excel ? [text(categoryName)] : []),
        ...[status, ...writeProfileCells(profile).map(text)],
      ]),
  };
}

/** An animal without a profile is written as by createPet. */
function writeJson({ profile, ...pet }: Listing): string {
  const json = petJson(pet);
  return isEmptyProfile(profile)
    ? `${json}\n`
    : `${json.slice(0, -1)},"profile":${JSON.stringify(profile)}}\n`;
}

/** Fields with any usual delimiter are quoted, not only with ours, because readers guess it. */
const NEEDS_QUOTES = /[",;\t|\r\n]/;

function quoted(text: string): string {
  return NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
