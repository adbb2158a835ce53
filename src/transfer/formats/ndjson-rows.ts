// The rows of an NDJSON file: one object in the form of createPet per line, with a profile in the form of updateProfile.

import { PET_MEMBERS, PHOTOS } from "./columns.ts";
import { ENCODING_NAMES } from "./encodings.ts";
import { describeReading, type FileRow, type FileRows, type RowOptions, type RowRules } from "./file-row.ts";
import { createFoundMembers, describeIgnored } from "./ignored-columns.ts";
import { createLines, type Line } from "./lines.ts";
import { withPhotos } from "./photo-names.ts";
import { PROFILE_COLUMNS } from "./profile-cells.ts";

const SPACE = 0x20;
const TAB = 0x09;
const PROFILE_PATHS = PROFILE_COLUMNS.map((column) => `profile.${column}`);
/** The members of a profile and of the objects in it, by the path of their object. */
const PROFILE_LEVELS = Map.groupBy(PROFILE_PATHS.flatMap(withParents), (path) => splitPath(path).level);

export function createNdjsonRows(options: RowOptions, rules: RowRules): FileRows {
  const { headings, encoding } = options;
  const lines = createLines();
  const names = [
    ...PET_MEMBERS.map((member) => [member, headings[member] ?? member] as const),
    ["profile", "profile"] as const,
    ...(options.photos ? [[PHOTOS, headings[PHOTOS] ?? PHOTOS] as const] : []),
  ];
  const levels = new Map([["", new Set(names.map(([, name]) => name))]]);
  for (const [level, paths] of PROFILE_LEVELS)
    levels.set(level, new Set(paths.map((path) => splitPath(path).name)));
  const found = createFoundMembers(levels);
  // A member with another name in the file is not read by its own.
  const readable = [...names.flatMap(([member, name]) => (member === name ? [name] : [])), ...PROFILE_PATHS];
  /** Members that release 1.0 did not know: it stored the texts of unfinished imports without them. */
  const later = { categoryName: false, profile: false, photos: false };

  function readRow({ line, bytes }: Line): FileRow {
    const value = parse(bytes);
    if (typeof value !== "object" || value === null || Array.isArray(value))
      return { line, problem: `the line is not one JSON object in ${ENCODING_NAMES[encoding]}` };
    const given = value as Record<string, unknown>;
    const members = names.filter(([, name]) => Object.hasOwn(given, name));
    const { photos, ...row } = Object.fromEntries(members.map(([member, name]) => [member, given[name]]));
    found.note(given);
    const isCategoryNamed = Object.hasOwn(row, "categoryName");
    later.categoryName ||= isCategoryNamed;
    later.profile ||= Object.hasOwn(row, "profile");
    later.photos ||= photos !== undefined;
    const read = rules.readObject(row, isCategoryNamed);
    return { line, ...(options.photos ? withPhotos(read, photos) : read) };
  }

  function parse(bytes: Buffer): unknown {
    try {
      return rules.parseJson(bytes);
    } catch {
      return undefined;
    }
  }

  function describeNames(): string {
    const used = names.filter(
      ([member]) => !Object.hasOwn(later, member) || later[member as keyof typeof later],
    );
    return describeReading(options, Object.fromEntries(used));
  }

  return {
    push: (bytes) => lines.push(bytes).filter(isFilled).map(readRow),
    end: () => lines.end().filter(isFilled).map(readRow),
    reading: () => `ndjson ${describeNames()}`,
    delimiter: () => undefined,
    ignoredColumns: () =>
      describeIgnored(
        found.unknown,
        readable.filter((path) => !found.known.has(path)),
      ),
    guardedNames: () => 0,
  };
}

/** Blank lines are not rows. */
function isFilled({ bytes }: Line): boolean {
  return bytes.some((byte) => byte !== SPACE && byte !== TAB);
}

/** `profile.fee.amount` needs the member `profile.fee`. */
function withParents(path: string): string[] {
  const { level } = splitPath(path);
  return level === "profile." ? [path] : [level.slice(0, -1), path];
}

function splitPath(path: string): { level: string; name: string } {
  const start = path.lastIndexOf(".") + 1;
  return { level: path.slice(0, start), name: path.slice(start) };
}
