// The file formats, and animals as lines of a file, exactly as they are stored.

import { largestUrls } from "../../domain/animals/listed-photo.ts";
import type { Listing } from "../../domain/animals/listing.ts";
import { petJson } from "../../domain/animals/pet.ts";
import { isEmptyProfile } from "../../domain/animals/profile.ts";
import { type CsvOptions, createCsvText } from "./csv-text.ts";

export const FILE_FORMATS = ["csv", "ndjson"] as const;
export type FileFormat = (typeof FILE_FORMATS)[number];

/** The options of CSV have no effect on other formats. */
export interface TextOptions extends CsvOptions {
  format: FileFormat;
  /** Where the addresses of photos begin. */
  publicUrl: string;
}

/** `head` is the text before the first animal. */
export interface AnimalText {
  head: string;
  row(listing: Listing): string;
}

export function createAnimalText(options: TextOptions): AnimalText {
  const { format, publicUrl } = options;
  const urlsOf = ({ photos }: Listing) => largestUrls(photos, publicUrl);
  if (format === "ndjson") return { head: "", row: (listing) => writeJson(listing, urlsOf(listing)) };
  const { head, row } = createCsvText(options);
  return { head, row: (listing) => row(listing, urlsOf(listing)) };
}

/** An animal without a profile and photos is written as by createPet. */
function writeJson({ profile, photos: _, ...pet }: Listing, urls: string[]): string {
  const members = [
    ...(isEmptyProfile(profile) ? [] : [`,"profile":${JSON.stringify(profile)}`]),
    ...(urls.length === 0 ? [] : [`,"photos":${JSON.stringify(urls)}`]),
  ];
  return `${petJson(pet).slice(0, -1)}${members.join("")}}\n`;
}
