// The file formats, and animals as lines of a file, exactly as they are stored. CSV is as in RFC 4180.

import { largestUrls } from "../../domain/listed-photo.ts";
import type { Listing } from "../../domain/listing.ts";
import { petJson } from "../../domain/pet.ts";
import { isEmptyProfile } from "../../domain/profile.ts";
import { guardFormula } from "./excel-text.ts";
import { PROFILE_COLUMNS, writeList, writeProfileCells } from "./profile-cells.ts";

export const FILE_FORMATS = ["csv", "ndjson"] as const;
export type FileFormat = (typeof FILE_FORMATS)[number];

export interface TextOptions {
  format: FileFormat;
  /** CSV only. */
  delimiter?: string | undefined;
  /** CSV for spreadsheets: byte order mark, CRLF, no formulas, and the names of categories. */
  excel?: boolean | undefined;
  /** Where the addresses of photos begin. */
  publicUrl: string;
}

/** `head` is the text before the first animal. */
export interface AnimalText {
  head: string;
  row(listing: Listing): string;
}

export function createAnimalText(options: TextOptions): AnimalText {
  const { format, delimiter = ",", excel = false, publicUrl } = options;
  const urlsOf = ({ photos }: Listing) => largestUrls(photos, publicUrl);
  if (format === "ndjson") return { head: "", row: (listing) => writeJson(listing, urlsOf(listing)) };
  const line = (fields: string[]) => `${fields.map(quoted).join(delimiter)}${excel ? "\r\n" : "\n"}`;
  const text = excel ? guardFormula : (each: string) => each;
  const writePhotos = (urls: string[]) => (urls.length === 0 ? "" : writeList(urls));
  // Programs may expect the columns of release 1.0 first.
  const head = ["id", "name", "categoryId", ...(excel ? ["categoryName"] : []), "status"];
  return {
    head: `${excel ? "\uFEFF" : ""}${line([...head, ...PROFILE_COLUMNS, "photos"])}`,
    row(listing) {
      const { id, name, categoryId, categoryName = "", status, profile } = listing;
      return line([
        ...[`${id}`, text(name), `${categoryId}`],
        ...(excel ? [text(categoryName)] : []),
        ...[status, ...writeProfileCells(profile).map(text), writePhotos(urlsOf(listing))],
      ]);
    },
  };
}

/** An animal without a profile and photos is written as by createPet. */
function writeJson({ profile, photos: _, ...pet }: Listing, urls: string[]): string {
  const members = [
    ...(isEmptyProfile(profile) ? [] : [`,"profile":${JSON.stringify(profile)}`]),
    ...(urls.length === 0 ? [] : [`,"photos":${JSON.stringify(urls)}`]),
  ];
  return `${petJson(pet).slice(0, -1)}${members.join("")}}\n`;
}

/** Fields with any usual delimiter are quoted, not only with ours, because readers guess it. */
const NEEDS_QUOTES = /[",;\t|\r\n]/;

function quoted(text: string): string {
  return NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
