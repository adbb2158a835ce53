// Finds the columns of a file that hold the members of an animal, and describes the columns that are not read.

import { findClosestName } from "../../tools/close-names.ts";
import { OperatorError } from "../../tools/operator-error.ts";
import { showList, showText } from "../../tools/shown-text.ts";
import { PROFILE_COLUMNS } from "./profile-cells.ts";

/** The members of an animal; its profile has further columns in CSV, and is an object in NDJSON. */
export const PET_MEMBERS = ["name", "categoryId", "categoryName", "status"] as const;
export const MEMBERS = [...PET_MEMBERS, ...PROFILE_COLUMNS] as const;
/** Read only on demand: an export has addresses there. */
export const PHOTOS = "photos";
type Member = (typeof MEMBERS)[number] | typeof PHOTOS;

/** The heading of a member's column, if it differs from the member's name. */
export type Headings = Partial<Record<Member, string>>;

/** The index of each member's column. */
export type ColumnIndexes = Partial<Record<Member, number>>;

interface ColumnOptions {
  headings: Headings;
  /** Whether the column of photos is read. */
  photos?: boolean | undefined;
  /** How the file was read. */
  readAs: string;
}

/** Ignores case and surrounding white space. Throws an OperatorError with all missing or duplicate columns. */
export function findColumns(
  header: string[],
  { headings, photos = false, readAs }: ColumnOptions,
): ColumnIndexes {
  const known = header.map(normalise);
  const faults: string[] = [];
  const indexes: ColumnIndexes = {};
  // A row may only change an animal that is known by its externalId.
  const isAnyNeeded = !known.includes(normalise(headings.externalId ?? "externalId"));
  for (const member of [...MEMBERS, ...(photos ? [PHOTOS] : [])] as Member[]) {
    const heading = headings[member] ?? member;
    const index = known.indexOf(normalise(heading));
    const isNeeded =
      (member === "name" && isAnyNeeded) || member === PHOTOS || headings[member] !== undefined;
    if (index >= 0) indexes[member] = index;
    else if (isNeeded) faults.push(`there is no column ${showText(heading)}`);
    if (index >= 0 && known.indexOf(normalise(heading), index + 1) >= 0)
      faults.push(`there are several columns ${showText(heading)}`);
  }
  const isMapped = headings.categoryId !== undefined || headings.categoryName !== undefined;
  if (isAnyNeeded && indexes.categoryId === undefined && indexes.categoryName === undefined && !isMapped)
    faults.push('there is no column "categoryId" or "categoryName"');
  if (faults.length === 0) return indexes;
  const has = showList(header.map((each) => each.trim()));
  throw new OperatorError(
    `The first line does not fit: ${faults.join("; ")}. It has ${has}, read as ${readAs}. Say which to use, for example --map name=HEADING,categoryId=HEADING.`,
  );
}

function normalise(heading: string): string {
  return heading.trim().toLowerCase();
}

export interface IgnoredColumn {
  name: string;
  /** Columns that would be read and that the file does not have; empty if none has a similar name. */
  meant: string[];
}

/** `absent` are the columns that would be read but are not in the file. */
export function describeIgnored(names: Iterable<string>, absent: readonly string[]): IgnoredColumn[] {
  return Array.from(names, (name) => ({ name, meant: findMeant(name, absent) }));
}

function findMeant(name: string, absent: readonly string[]): string[] {
  const others = absent.filter((each) => each !== name);
  const closest = findClosestName(name, others);
  if (closest !== undefined) return [closest];
  // Such as "fee" and "goodWith.kids", of which there are other parts.
  const typed = name.toLowerCase();
  const whole = typed.includes(".") ? typed.slice(0, typed.lastIndexOf(".")) : typed;
  return whole === "profile" ? [] : others.filter((each) => each.toLowerCase().startsWith(`${whole}.`));
}
