// Animals as lines of a file: CSV (RFC 4180) or NDJSON, exactly as they are stored.

import { type Pet, petJson } from "../../domain/pet.ts";
import type { FileFormat } from "./file-format.ts";

export interface AnimalText {
  /** The text before the first animal. */
  head: string;
  row(pet: Pet): string;
}

export const ANIMAL_TEXTS: Record<FileFormat, AnimalText> = {
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
