// CSV as text: delimiters, formulas, and animals as lines (RFC 4180). The console uses it, too.

import type { Profile } from "../../domain/animals/profile.ts";
import { PROFILE_COLUMNS, writeList, writeProfileCells } from "./profile-cells.ts";

export interface CsvOptions {
  delimiter?: string | undefined;
  /** Adapts the file to spreadsheets: byte order mark, CRLF, no formulas, and the names of categories and shelters. */
  excel?: boolean | undefined;
  /** Members of `custom` that any of the animals has; each gets a column. */
  customNames?: readonly string[] | undefined;
}

interface CsvAnimal {
  id: bigint | number;
  name: string;
  categoryId: bigint | number;
  categoryName?: string | undefined;
  status: string;
  profile: Profile;
  shelter: { id: bigint | number; name: string };
}

/** `head` is the text before the first animal. */
export interface CsvText {
  head: string;
  row(animal: CsvAnimal, photoUrls: string[]): string;
}

export function createCsvText({ delimiter = ",", excel = false, customNames = [] }: CsvOptions): CsvText {
  const line = (fields: string[]) => writeLine(fields, { delimiter, isCrlf: excel });
  const text = excel ? guardFormula : (each: string) => each;
  // Programs may expect the columns of earlier releases first.
  const head = ["id", "name", "categoryId", ...(excel ? ["categoryName"] : []), "status"];
  const shelterHead = ["shelterId", ...(excel ? ["shelterName"] : [])];
  const customHead = customNames.map((name) => `custom.${name}`);
  return {
    head: `${excel ? "\uFEFF" : ""}${line([...head, ...PROFILE_COLUMNS, ...shelterHead, ...customHead, "photos"])}`,
    row({ id, name, categoryId, categoryName = "", status, profile, shelter }, photoUrls) {
      const { cells, custom } = writeProfileCells(profile, customNames);
      return line([
        `${id}`,
        text(name),
        `${categoryId}`,
        ...(excel ? [text(categoryName)] : []),
        status,
        ...cells.map(text),
        `${shelter.id}`,
        ...(excel ? [text(shelter.name)] : []),
        ...custom.map(text),
        photoUrls.length === 0 ? "" : writeList(photoUrls),
      ]);
    },
  };
}

export function writeLine(
  fields: string[],
  { delimiter = ",", isCrlf = false }: { delimiter?: string | undefined; isCrlf?: boolean },
): string {
  return `${fields.map(quoted).join(delimiter)}${isCrlf ? "\r\n" : "\n"}`;
}

/** Fields with any usual delimiter are quoted, not only with ours, because readers guess it. */
const NEEDS_QUOTES = /[",;\t|\r\n]/;

function quoted(text: string): string {
  return NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** By the name that the operator gives. */
export const DELIMITERS = { ",": ",", ";": ";", "|": "|", tab: "\t" } as const;

/** Ordered by how unlikely they are inside a heading. */
const DETECTED_DELIMITERS = ["\t", ";", ","];

/** As messages show it: as --delimiter takes it. */
export function showDelimiter(delimiter: string): string {
  return delimiter === DELIMITERS.tab ? "tab" : `"${delimiter}"`;
}

const SEP = "sep=";

/** The delimiter of a line such as `sep=;` or `"sep=;"`. Undefined for any other line. */
export function findSepDelimiter(line: string): string | undefined {
  const bare = line.startsWith('"') ? line.slice(1).trimEnd().replace('"', "") : line;
  if (bare.slice(0, SEP.length).toLowerCase() !== SEP) return undefined;
  const [given = "", ...others] = bare.slice(SEP.length);
  const isAlone = others.every((each) => each === " ");
  return isAlone ? Object.values(DELIMITERS).find((each) => each === given) : undefined;
}

/** The delimiter that is most frequent in the header, outside quotes. */
export function detectDelimiter(header: string): string {
  // Every second part is quoted, except a last part whose quote is never closed.
  const bare = header
    .split('"')
    .filter((_, index, parts) => index % 2 === 0 || index === parts.length - 1)
    .join("");
  const count = (each: string) => bare.split(each).length - 1;
  const [best = ","] = [...DETECTED_DELIMITERS].sort((one, other) => count(other) - count(one));
  return count(best) > 0 ? best : ",";
}

/**
 * The first characters of formulas (OWASP, "CSV Injection"), also in full width. Apostrophes before them count, so that
 * adding one can be undone exactly.
 */
const FORMULA = /^'*[=+\-@\t\r\n＝＋－＠]/;

export function guardFormula(text: string): string {
  return FORMULA.test(text) ? `'${text}` : text;
}

/** Whether the text may come from `guardFormula`. */
export function isGuarded(text: string): boolean {
  return text.startsWith("'") && FORMULA.test(text);
}

/** The reverse of `guardFormula`. */
export function unguardFormula(text: string): string {
  return isGuarded(text) ? text.slice(1) : text;
}
