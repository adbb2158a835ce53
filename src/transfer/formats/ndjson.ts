// NDJSON: one object in the form of createPet per line, with a profile in the form of updateProfile.

import type { Listing } from "../../domain/animals/listing.ts";
import { petJson } from "../../domain/animals/pet.ts";
import { COMPANIONS, isEmptyProfile } from "../../domain/animals/profile.ts";
import { parseJson } from "../../http/request/body.ts";
import { ENCODING_NAMES, type Encoding } from "./encodings.ts";
import {
  createLines,
  type FileRecord,
  type FileRecords,
  HEADINGS_MAX,
  invalidFile,
  type Line,
} from "./lines.ts";

const SPACE = 0x20;
const TAB = 0x09;
const PROFILE = "profile";
const GOOD_WITH = `${PROFILE}.goodWith`;
/** Objects whose members are columns. */
const OBJECTS = new Set([PROFILE, GOOD_WITH, `${PROFILE}.fee`, `${PROFILE}.custom`]);

/** The headings are paths, such as `profile.fee.amount`. */
export function createNdjsonRecords(encoding: Encoding): FileRecords {
  const lines = createLines();
  const indexes = new Map<string, number>();

  function indexOf(path: string): number {
    const known = indexes.get(path);
    if (known !== undefined) return known;
    if (indexes.size === HEADINGS_MAX)
      throw invalidFile(`The objects of the file have more than ${HEADINGS_MAX} different members.`);
    indexes.set(path, indexes.size);
    return indexes.size - 1;
  }

  function addFields(fields: unknown[], value: object, parent: string): void {
    for (const [name, member] of Object.entries(value)) {
      const path = `${parent}${name}`;
      if (OBJECTS.has(path) && isObject(member)) addFields(fields, member, `${path}.`);
      else if (path === GOOD_WITH && member === null)
        for (const companion of COMPANIONS) fields[indexOf(`${path}.${companion}`)] = null;
      else fields[indexOf(path)] = member;
    }
  }

  function readRecord({ line, bytes }: Line): FileRecord {
    const value = parse(bytes);
    if (!isObject(value))
      return { line, problem: `the line is not one JSON object in ${ENCODING_NAMES[encoding]}` };
    const fields: unknown[] = [];
    addFields(fields, value, "");
    const noObject = findNoObject(value);
    return {
      line,
      fields,
      ...(noObject !== undefined && { problem: `${noObject} must be an object` }),
    };
  }

  return {
    push: (bytes) => lines.push(bytes).filter(isFilled).map(readRecord),
    end: () => lines.end().filter(isFilled).map(readRecord),
    headings: () => [...indexes.keys()],
    delimiter: () => undefined,
  };
}

/** Null removes all members of `goodWith` or `custom`. */
function findNoObject({ profile = {} }: { profile?: unknown }): string | undefined {
  if (!isObject(profile)) return PROFILE;
  const { goodWith, custom } = profile as Record<string, unknown>;
  const objects = Object.entries({ goodWith: goodWith ?? {}, custom: custom ?? {} });
  const [name] = objects.find(([, value]) => !isObject(value)) ?? [];
  return name && `${PROFILE}.${name}`;
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Undefined if the bytes are not one JSON value in UTF-8. */
function parse(bytes: Buffer): unknown {
  try {
    return parseJson(bytes);
  } catch {
    return undefined;
  }
}

/** Blank lines are not rows. */
function isFilled({ bytes }: Line): boolean {
  return bytes.some((byte) => byte !== SPACE && byte !== TAB);
}

/** An animal without a profile and photos is written as by createPet, with its shelter. */
export function writeJson({ profile, photos: _, shelter, ...pet }: Listing, urls: string[]): string {
  const members = [
    `,"shelterId":${shelter.id}`,
    ...(isEmptyProfile(profile) ? [] : [`,"profile":${JSON.stringify(profile)}`]),
    ...(urls.length === 0 ? [] : [`,"photos":${JSON.stringify(urls)}`]),
  ];
  return `${petJson(pet).slice(0, -1)}${members.join("")}}\n`;
}
