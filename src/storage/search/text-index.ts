// The list that is searched, and the interface of an engine's index of texts.

import type { Database, SqlValue } from "../database.ts";
import { type BindValue, listedIds } from "../statements.ts";
import type { Position } from "./positions.ts";
import type { SearchWord } from "./search-words.ts";

/** The conditions of the list, as SQL. */
export interface SearchedList {
  sort: "newest" | "oldest";
  /** Before its first id. */
  start: bigint;
  /** Selects the first ids after `after`, in order. The arguments are SQL. */
  selectIds(after: string, limit: string): string;
  /** Conditions that a row of `pets` in the list meets. */
  matches: string[];
  /** Values of the placeholders in the SQL above. */
  values: readonly SqlValue[];
}

export interface TextIndex {
  /** The positions of all animals in the list that have these words. Undefined if they may be many, or if the index does not help. */
  findFew(words: SearchWord[], list: SearchedList): Promise<Position[] | undefined>;
  conditions: TextConditions;
}

/** SQL conditions on a row of `pet_texts`. */
export interface TextConditions {
  hasWords(words: SearchWord[], bindValue: BindValue): string;
  /** Whether the name alone has every word; NULL if an older release has written the text. */
  hasNames(words: SearchWord[], bindValue: BindValue): string;
}

/**
 * SQL: whether the animal of a row of `pet_texts` is in one of these categories; none without any. Its own row decides, by one
 * lookup in a hash or a tree: to look for each category in the text would take seconds with thousands of them.
 */
export function hasCategorySql(
  engine: Database["engine"],
  categoryIds: bigint[],
  bindValue: BindValue,
): string[] {
  if (categoryIds.length === 0) return [];
  const ids = listedIds(engine, bindValue(categoryIds.join(",")));
  return [`(SELECT category_id FROM pets WHERE pets.id = pet_id) IN (SELECT id FROM ${ids})`];
}

/** SQL: whether the animal of a row of `pet_texts` is in the list. A subquery, because PostgreSQL may turn a join into a scan. */
export function isListedSql({ matches }: SearchedList): string {
  if (matches.length === 0) return "true";
  return `(SELECT ${matches.join(" AND ")} FROM pets WHERE pets.id = pet_id)`;
}
