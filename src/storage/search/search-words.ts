// The words of a search, with the categories and the animal that they also mean.

import {
  categoryNeedle,
  isPrefixWord,
  normaliseText,
  petNeedle,
  readPetId,
  wordNeedle,
} from "../../domain/animals/search-text.ts";
import type { Database } from "../database.ts";

export interface SearchWord {
  /** The string by which it is found in a name. */
  needle: string;
  /** Where it is looked for: a short word only in names. */
  column: "name" | "text";
  /** An animal has the word if one of them is in the column: the word itself, or the id of the animal. */
  needles: string[];
  /** Categories whose names contain the word, perhaps thousands: their animals have the word too. */
  categoryIds: bigint[];
}

/** The strings by which an index finds the word; undefined if there are more. */
export function indexNeedles({ needles, categoryIds }: SearchWord, max: number): string[] | undefined {
  if (needles.length + categoryIds.length > max) return undefined;
  return [...needles, ...categoryIds.map(categoryNeedle)];
}

/** Between the categories; normalised names have no control characters. */
const SEPARATOR = "\u0001";
const READ_CATEGORIES = "SELECT string_agg(CAST(id AS TEXT) || ' ' || name, $1) AS names FROM categories";

export function createWordReader(db: Database): (words: readonly string[]) => Promise<SearchWord[]> {
  let known = { text: "", categories: [] as Category[] };

  /** Read every time: there are few categories, and another node may have renamed one. */
  async function listCategories(): Promise<Category[]> {
    const text = String((await db.named(READ_CATEGORIES, [SEPARATOR]))?.names ?? "");
    if (text !== known.text)
      known = { text, categories: text === "" ? [] : text.split(SEPARATOR).map(readCategory) };
    return known.categories;
  }

  return async (texts) => {
    const words = [...new Set(texts)];
    const categories = words.every(isPrefixWord) ? [] : await listCategories();
    return words.map((word) => toSearchWord(word, categories));
  };
}

/** The same words in names only. */
export function inNames(words: SearchWord[]): SearchWord[] {
  return words.map(({ needle }) => ({ needle, needles: [needle], categoryIds: [], column: "name" }));
}

interface Category {
  id: bigint;
  /** Normalised. */
  name: string;
}

function readCategory(text: string): Category {
  const end = text.indexOf(" ");
  return { id: BigInt(text.slice(0, end)), name: normaliseText(text.slice(end + 1)) };
}

function toSearchWord(word: string, categories: Category[]): SearchWord {
  const isName = isPrefixWord(word);
  const needle = wordNeedle(word);
  const found = isName ? [] : categories.filter(({ name }) => name.includes(word));
  const id = readPetId(word);
  return {
    needle,
    needles: id === undefined ? [needle] : [needle, petNeedle(id)],
    categoryIds: found.map(({ id }) => id),
    column: isName && id === undefined ? "name" : "text",
  };
}
