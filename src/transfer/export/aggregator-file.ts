// The file of an aggregator: which animals it can express, and their rows.

import type { Aggregator } from "../../domain/animals/aggregator.ts";
import type { ListedPhoto } from "../../domain/animals/listed-photo.ts";
import type { Listing } from "../../domain/animals/listing.ts";
import { ageGroupOf } from "../../domain/animals/profile.ts";
import { writeLine } from "../formats/csv-text.ts";
import { ADOPTAPET } from "./adoptapet.ts";
import type { AggregatorFormat, ExportedAnimal } from "./aggregator-format.ts";
import { PETFINDER } from "./petfinder.ts";
import { RESCUEGROUPS } from "./rescuegroups.ts";

export const FORMATS: Record<Aggregator, AggregatorFormat> = {
  petfinder: PETFINDER,
  adoptapet: ADOPTAPET,
  rescuegroups: RESCUEGROUPS,
};

/** Photos are shown in this width, or in the largest of a smaller image. */
const PHOTO_WIDTH = 1280;
const LINE_BREAK = /\r\n|[\n\r\u2028\u2029]/g;

/** Why the file cannot express the animal; empty if it can. */
export function findReasons(
  listing: Listing,
  { nameMax = Number.POSITIVE_INFINITY }: AggregatorFormat,
): string[] {
  const { species, breeds = [], sex } = listing.profile;
  const reasons = {
    "no species": species === undefined,
    "no breed": breeds.length === 0,
    "sex neither male nor female": sex !== "male" && sex !== "female",
    [`a name of more than ${nameMax} characters`]: Array.from(listing.name).length > nameMax,
  };
  return Object.keys(reasons).filter((reason) => reasons[reason as keyof typeof reasons]);
}

interface View {
  /** Age groups depend on the day. */
  nowMs: number;
  /** Where the addresses of photos begin. */
  publicUrl: string;
}

/** `row` is for animals that can be expressed. */
export function createFileText(
  { columns, hasHead, hasLines }: AggregatorFormat,
  view: View,
): { head: string; row(listing: Listing): string } {
  const line = (cells: string[]) => writeLine(cells, { isCrlf: true });
  const texts = Object.values(columns);
  return {
    head: hasHead ? line(Object.keys(columns)) : "",
    row(listing) {
      const animal = describeAnimal(listing, view);
      const cells = texts.map((cell) => cell(animal) ?? "");
      return line(hasLines ? cells : cells.map((cell) => cell.replaceAll(LINE_BREAK, " ")));
    },
  };
}

function describeAnimal({ id, name, status, profile, photos }: Listing, view: View): ExportedAnimal {
  const { breeds = [], colors = [], goodWith = {} } = profile;
  return {
    ...(profile as ExportedAnimal),
    id,
    name,
    status,
    breeds,
    colors,
    goodWith,
    ageGroup: ageGroupOf(profile, view.nowMs),
    photoUrl(number) {
      const photo = photos[number - 1];
      return photo && `${view.publicUrl}${photoPath(photo)}`;
    },
  };
}

/** The path of the file that aggregators show. */
export function photoPath({ urls }: ListedPhoto): string {
  // Members whose names are integers are in ascending order.
  return urls[PHOTO_WIDTH] ?? (Object.values(urls).at(-1) as string);
}
