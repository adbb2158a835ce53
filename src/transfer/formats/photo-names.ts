// The names of photo files in a row: how they are read, and which are allowed.

import { win32 } from "node:path";
import { PHOTOS_PER_PET_MAX } from "../../domain/animals/photo-limits.ts";
import { showText } from "../../tools/shown-text.ts";

type PhotoNames = { photos: string[] } | { problem: string };

/** An export has addresses in this column. */
const ADDRESS = /^https?:/i;
const SEPARATORS = /[\\/]/;

/** From a list in JSON, or from the list of a cell. */
function readPhotoNames(value: unknown): PhotoNames {
  if (value === undefined || value === null) return { photos: [] };
  const isList = Array.isArray(value) && value.every((name) => typeof name === "string");
  if (!isList) return { problem: "photos must be a list of file names" };
  if (value.length > PHOTOS_PER_PET_MAX)
    return { problem: `photos has ${value.length} names, but an animal may have ${PHOTOS_PER_PET_MAX}` };
  const faults = value.flatMap((name) => findFault(name) ?? []);
  return faults.length > 0 ? { problem: faults.join("; ") } : { photos: value };
}

/** Adds the photos, or what is wrong with them, to what was read from the rest of the row. */
export function withPhotos<P extends object>(
  row: { pet: P } | { problem: string },
  value: unknown,
): { pet: P; photos: string[] } | { problem: string } {
  const names = readPhotoNames(value);
  const problems = [row, names].flatMap((each) => ("problem" in each ? each.problem : []));
  if ("pet" in row && "photos" in names) return { ...row, ...names };
  return { problem: problems.join("; ") };
}

function findFault(name: string): string | undefined {
  if (name.trim() === "") return "photos has an empty file name";
  if (ADDRESS.test(name))
    return `photo ${showText(name)} is an address, but --photos reads only files of its folder`;
  // The rules of Windows cover those of other systems.
  const leadsOut = win32.isAbsolute(name) || name.split(SEPARATORS).includes("..") || name.includes("\0");
  return leadsOut ? `photo ${showText(name)} is not a path inside of the folder of --photos` : undefined;
}
