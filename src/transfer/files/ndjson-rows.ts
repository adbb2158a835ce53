// The rows of an NDJSON file: one object in the form of createPet per line, with a profile in the form of updateProfile.

import { PET_MEMBERS, PHOTOS } from "./columns.ts";
import { ENCODING_NAMES } from "./encodings.ts";
import { describeReading, type FileRow, type FileRows, type RowOptions, type RowRules } from "./file-row.ts";
import { createLines, type Line } from "./lines.ts";
import { withPhotos } from "./photo-names.ts";

export function createNdjsonRows(options: RowOptions, rules: RowRules): FileRows {
  const { headings, encoding } = options;
  const lines = createLines();
  const names = [
    ...PET_MEMBERS.map((member) => [member, headings[member] ?? member] as const),
    ["profile", "profile"] as const,
    ...(options.photos ? [[PHOTOS, headings[PHOTOS] ?? PHOTOS] as const] : []),
  ];
  /** Members that release 1.0 did not know: it stored the texts of unfinished imports without them. */
  const later = { categoryName: false, profile: false, photos: false };

  function readRow({ line, bytes }: Line): FileRow {
    const value = parse(bytes);
    if (typeof value !== "object" || value === null || Array.isArray(value))
      return { line, problem: `the line is not one JSON object in ${ENCODING_NAMES[encoding]}` };
    const given = value as Record<string, unknown>;
    const members = names.filter(([, name]) => Object.hasOwn(given, name));
    const { photos, ...row } = Object.fromEntries(members.map(([member, name]) => [member, given[name]]));
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
    push: (bytes) => lines.push(bytes).map(readRow),
    end: () => lines.end().map(readRow),
    reading: () => `ndjson ${describeNames()}`,
    delimiter: () => undefined,
    guardedNames: () => 0,
  };
}
