// NDJSON: one object in the form of createPet per line, with a profile in the form of updateProfile.

import type { Listing } from "../../domain/animals/listing.ts";
import { petJson } from "../../domain/animals/pet.ts";
import { isEmptyProfile } from "../../domain/animals/profile.ts";
import { describeIgnored, PET_MEMBERS, PHOTOS } from "./columns.ts";
import { ENCODING_NAMES } from "./encodings.ts";
import {
  describeReading,
  type FileRow,
  type FileRows,
  type RowOptions,
  type RowRules,
  withPhotos,
} from "./file-row.ts";
import { createLines, type Line } from "./lines.ts";
import { PROFILE_COLUMNS } from "./profile-cells.ts";

const SPACE = 0x20;
const TAB = 0x09;
/** Unknown members that are collected: every line may have others. */
const UNKNOWN_MAX = 100;

const PROFILE = "profile";
const PROFILE_PATHS = PROFILE_COLUMNS.map((column) => `${PROFILE}.${column}`);
/** The objects inside a row: the profile, and those inside it. */
const OBJECTS = new Set(PROFILE_PATHS.map((path) => path.slice(0, path.lastIndexOf("."))));
const KNOWN_PATHS = new Set([...PROFILE_PATHS, ...OBJECTS]);

export function createNdjsonRows(options: RowOptions, rules: RowRules): FileRows {
  const { headings, encoding } = options;
  const lines = createLines();
  const names = [
    ...PET_MEMBERS.map((member) => [member, headings[member] ?? member] as const),
    [PROFILE, PROFILE] as const,
    ...(options.photos ? [[PHOTOS, headings[PHOTOS] ?? PHOTOS] as const] : []),
  ];
  const found = createFoundMembers(new Set(names.map(([, name]) => name)));
  /** Members that release 1.0 did not know: it stored the texts of unfinished imports without them. */
  const later = { categoryName: false, profile: false, photos: false };

  function readRow({ line, bytes }: Line): FileRow {
    const value = parse(bytes, rules);
    if (typeof value !== "object" || value === null || Array.isArray(value))
      return { line, problem: `the line is not one JSON object in ${ENCODING_NAMES[encoding]}` };
    const given = value as Record<string, unknown>;
    const members = names.filter(([, name]) => Object.hasOwn(given, name));
    const { photos, ...row } = Object.fromEntries(members.map(([member, name]) => [member, given[name]]));
    found.add(given);
    const isCategoryNamed = Object.hasOwn(row, "categoryName");
    later.categoryName ||= isCategoryNamed;
    later.profile ||= Object.hasOwn(row, PROFILE);
    later.photos ||= photos !== undefined;
    const read = rules.readObject(row, isCategoryNamed);
    return { line, ...(options.photos ? withPhotos(read, photos) : read) };
  }

  function describeNames(): string {
    const used = names.filter(
      ([member]) => !Object.hasOwn(later, member) || later[member as keyof typeof later],
    );
    return describeReading(options, Object.fromEntries(used));
  }

  function listAbsent(): string[] {
    // A member with another name in the file is not read by its own.
    const own = names.flatMap(([member, name]) => (member === name ? [name] : []));
    return [...own, ...PROFILE_PATHS].filter((path) => !found.known.has(path));
  }

  return {
    push: (bytes) => lines.push(bytes).filter(isFilled).map(readRow),
    end: () => lines.end().filter(isFilled).map(readRow),
    reading: () => `ndjson ${describeNames()}`,
    delimiter: () => undefined,
    ignoredColumns: () => describeIgnored(found.unknown, listAbsent()),
    guardedNames: () => 0,
  };
}

/** Undefined if the bytes are not one JSON value in UTF-8. */
function parse(bytes: Buffer, rules: RowRules): unknown {
  try {
    return rules.parseJson(bytes);
  } catch {
    return undefined;
  }
}

/** Blank lines are not rows. */
function isFilled({ bytes }: Line): boolean {
  return bytes.some((byte) => byte !== SPACE && byte !== TAB);
}

/** Collects the members of all rows. A member of an object in a row has a path such as `profile.fee.amount`. */
function createFoundMembers(rowMembers: ReadonlySet<string>) {
  const known = new Set<string>();
  const unknown = new Set<string>();

  function add(value: object, parent: string | undefined): void {
    for (const [name, member] of Object.entries(value)) {
      const path = parent === undefined ? name : `${parent}.${name}`;
      // A dot inside a name does not make it the member of an object.
      const isKnown =
        parent === undefined ? rowMembers.has(name) : !name.includes(".") && KNOWN_PATHS.has(path);
      if (isKnown) known.add(path);
      else if (unknown.size < UNKNOWN_MAX) unknown.add(path);
      const isObject = typeof member === "object" && member !== null && !Array.isArray(member);
      if (isKnown && isObject && OBJECTS.has(path)) add(member, path);
    }
  }

  return { known, unknown, add: (row: object) => add(row, undefined) };
}

/** An animal without a profile and photos is written as by createPet. */
export function writeJson({ profile, photos: _, ...pet }: Listing, urls: string[]): string {
  const members = [
    ...(isEmptyProfile(profile) ? [] : [`,"profile":${JSON.stringify(profile)}`]),
    ...(urls.length === 0 ? [] : [`,"photos":${JSON.stringify(urls)}`]),
  ];
  return `${petJson(pet).slice(0, -1)}${members.join("")}}\n`;
}
