// Interfaces between the search and the text index of an engine.

import { categoryNeedle } from "../../domain/animals/search-text.ts";
import type { SqlValue } from "../database.ts";

/** The text of an animal. */
export interface SearchDocument {
  id: bigint;
  text: string;
}

/** A word and the categories whose names contain it. */
export interface SearchWord {
  needle: string;
  categoryIds: bigint[];
}

/** The list that is searched, as SQL. */
export interface SearchedList {
  sort: "newest" | "oldest";
  /** Selects the first ids after `after`, in order, that also meet the `conditions`. The arguments are SQL. */
  selectIds(after: string, limit: string, conditions: string[]): string;
  /** Conditions that a row of `pets` in the list meets. */
  matches: string[];
  /** Values of the placeholders in the SQL above. */
  values: readonly SqlValue[];
}

/** The animals that one statement has examined. */
interface Step {
  examined: number;
  /** The last of them in the order of the list; undefined if there are none. */
  last: bigint | undefined;
  ids: bigint[];
}

/**
 * Examines the next animals after `after`, at most `count`. Fewer than `count` are the last ones. Undefined if there are
 * too many for this source.
 */
export type Source = (after: bigint, count: number) => Promise<Step | undefined>;

/** Adds a value to the statement, and returns its placeholder. */
export type BindValue = (value: SqlValue) => string;

/** Examines the candidates that the SQL of `select` has as `id`. With `isInList`, all of them are in the list. */
export type Examine = (select: (bindValue: BindValue) => string, isInList: boolean) => Promise<Step>;

/** The index of an engine. */
export interface TextIndex {
  /**
   * Sources that together examine every animal that may have these words, one after the other. Undefined if there is no
   * index, or if it does not help with these words.
   */
  open(words: SearchWord[], list: SearchedList, examine: Examine): Promise<Source[] | undefined>;
}

/** A word that more categories contain is not looked for in an index. */
const CATEGORIES_MAX = 20;

/** For each word that an index can look for, the strings of which a text must contain one. */
export function listNeedles(words: SearchWord[]): string[][] {
  return words
    .filter(({ categoryIds }) => categoryIds.length <= CATEGORIES_MAX)
    .map(({ needle, categoryIds }) => [needle, ...categoryIds.map(categoryNeedle)]);
}
