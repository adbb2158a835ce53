// The file formats, and animals as lines of a file, exactly as they are stored. CSV is as in RFC 4180.

import { type Pet, petJson } from "../../domain/pet.ts";

export const FILE_FORMATS = ["csv", "ndjson"] as const;
export type FileFormat = (typeof FILE_FORMATS)[number];

/** `head` is the text before the first animal. */
export const ANIMAL_TEXTS: Record<FileFormat, { head: string; row(pet: Pet): string }> = {
  csv: {
    head: "id,name,categoryId,status\n",
    row: ({ id, name, categoryId, status }) => `${id},${quoted(name)},${categoryId},${status}\n`,
  },
  ndjson: {
    head: "",
    row: (pet) => `${petJson(pet)}\n`,
  },
};

/** Fields with any usual delimiter are quoted, not only with ours, because readers guess it. */
const NEEDS_QUOTES = /[",;\t|\r\n]/;

function quoted(text: string): string {
  return NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
