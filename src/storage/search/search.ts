// Finds the animals of a list whose texts contain every word, in the order of the list.

import { performance } from "node:perf_hooks";
import { setImmediate as nextTick } from "node:timers/promises";
import { isPrefixWord, normaliseText, wordNeedle } from "../../domain/animals/search-text.ts";
import { PAGE_LIMIT_MAX } from "../../domain/basics/list-limits.ts";
import { createBoundedMap } from "../../tools/bounded-map.ts";
import type { Database, SqlValue } from "../database.ts";
import { keysOf } from "../tables.ts";
import { openPostgresIndex } from "./postgres-index.ts";
import { openSqliteIndex } from "./sqlite-index.ts";
import type { BindValue, Examine, SearchedList, SearchWord, Source } from "./text-index.ts";

/** A search that takes longer ends with what it has found, and the next page continues there. */
const SEARCH_MS = 500;
/** Animals that the first step examines for each one that is wanted; each step is larger than the one before. */
const FIRST_STEP = 4;
/** A count wants very many. It begins as a page does, because the index may soon have all of them. */
const FIRST_WANTED_MAX = PAGE_LIMIT_MAX + 1;
const STEP_GROWTH = 3;
/**
 * Animals in a step. One of SQLite blocks the process, one of PostgreSQL has a deadline. Where SQLite has an index, it finds all but
 * the most common words sooner, so that reading the list gets a small part of the time.
 */
const STEP_MAX = { sqlite: { scan: 250, index: 1_000 }, postgres: { scan: 20_000, index: 20_000 } };

const REMEMBERED_NAMES = 10_000;

interface SearchPage {
  limit: number;
  /** In the order of the list, before its first id if it has no page before. */
  after: bigint;
}

interface FoundPets {
  /** In the order of the list. */
  ids: bigint[];
  /** The next page begins after it. There may be one although this one is not full. */
  nextAfter: bigint | undefined;
}

export type Search = (words: readonly string[], list: SearchedList, page: SearchPage) => Promise<FoundPets>;

export function createSearch(db: Database, searchMs = SEARCH_MS): Search {
  const index = db.engine === "sqlite" ? openSqliteIndex(db) : openPostgresIndex(db);
  const names = createBoundedMap<string, string>(REMEMBERED_NAMES);

  function normaliseName(name: string): string {
    const known = names.get(name);
    if (known !== undefined) return known;
    const normal = normaliseText(name);
    names.set(name, normal);
    return normal;
  }

  /** Reads all names: there are few categories. */
  async function withCategories(words: string[]): Promise<SearchWord[]> {
    const isNeeded = words.some((word) => !isPrefixWord(word));
    const categories = isNeeded ? await db.all("SELECT id, name FROM categories") : [];
    return words.map((word) => ({
      needle: wordNeedle(word),
      categoryIds: isPrefixWord(word)
        ? []
        : categories
            .filter(({ name }) => normaliseName(name as string).includes(word))
            .map(({ id }) => id as bigint),
    }));
  }

  return async (texts, list, { limit, after }) => {
    const endMs = performance.now() + searchMs;
    const words = await withCategories([...new Set(texts)]);
    const examine = createExamine(db, words, list);
    const scan: Source = (behind, count) =>
      examine((bindValue) => list.selectIds(bindValue(behind), bindValue(count), []), true);
    const indexed = await index.open(words, list, examine);
    // The index is best for a rare word, reading the list for a common one and for a short list. Both go on until one has all.
    const max = STEP_MAX[db.engine];
    let walks = [
      createWalk([scan], { start: after, stepMax: max.scan }),
      ...(indexed ? [createWalk(indexed, { start: after, stepMax: max.index })] : []),
    ];
    for (let count = Math.min(limit + 1, FIRST_WANTED_MAX) * FIRST_STEP; ; await nextTick()) {
      for (const walk of walks) {
        await walk.step(count);
        // Also for the index: most of its candidates are found, but few animals of the list.
        count *= STEP_GROWTH;
        if (walk.isDone() || walk.found.length > limit) return toPage(walk, list, limit);
      }
      walks = walks.filter((walk) => !walk.hasGivenUp());
      if (performance.now() >= endMs) return toPage(furthest(walks, list), list, limit);
    }
  };
}

/** The statement that examines candidates by their texts. With `isInList`, all of them are in the list. */
function createExamine(db: Database, words: SearchWord[], list: SearchedList): Examine {
  const position = db.engine === "sqlite" ? "instr" : "strpos";
  return async (select, isInList) => {
    const values = [...list.values];
    const bindValue = (value: SqlValue) => `$${values.push(value)}`;
    const candidates = select(bindValue);
    const isFound = foundBy(words, isInList ? [] : list.matches, { position, bindValue });
    const sql = `SELECT count(*) AS examined, ${list.sort === "newest" ? "min" : "max"}(id) AS last,
        string_agg(CASE WHEN is_found THEN CAST(id AS TEXT) END, ',') AS ids
      FROM (SELECT page.id, ${isFound} AS is_found FROM (${candidates}) AS page) AS examined`;
    const row = await db.first(sql, values);
    const ids = String(row?.ids ?? "");
    return {
      examined: Number(row?.examined),
      last: (row?.last as bigint | null) ?? undefined,
      ids: ids === "" ? [] : ids.split(",").map(BigInt),
    };
  };
}

/**
 * SQL: whether the animal `page.id` has every word and meets the conditions `matches` of the list. Subqueries, which are run for
 * each candidate: PostgreSQL may turn a join or EXISTS into a scan of all texts. Most candidates are decided by their texts alone.
 */
function foundBy(
  words: SearchWord[],
  matches: string[],
  { position, bindValue }: { position: string; bindValue: BindValue },
): string {
  const isInText = words.map(({ needle }) => `${position}(text, ${bindValue(needle)}) > 0`);
  if (words.some(({ categoryIds }) => categoryIds.length > 0)) {
    const isFound = words.map(({ categoryIds }, index) => {
      if (categoryIds.length === 0) return isInText[index];
      const keys = keysOf(categoryIds);
      return `(${isInText[index]} OR category_id IN (SELECT CAST(key AS BIGINT) FROM jsonb_each(${bindValue(keys)})))`;
    });
    return `(SELECT ${[...isFound, ...matches].join(" AND ")} FROM pets JOIN pet_texts ON pet_id = pets.id WHERE pets.id = page.id)`;
  }
  const hasWords = `(SELECT ${isInText.join(" AND ")} FROM pet_texts WHERE pet_id = page.id)`;
  if (matches.length === 0) return hasWords;
  return `CASE WHEN ${hasWords} THEN (SELECT ${matches.join(" AND ")} FROM pets WHERE pets.id = page.id) END`;
}

interface Walk {
  /** In the order in which they were examined. */
  found: bigint[];
  after(): bigint;
  isDone(): boolean;
  hasGivenUp(): boolean;
  /** At most `count` animals, and at most those of a step. */
  step(count: number): Promise<void>;
}

function createWalk(sources: Source[], { start, stepMax }: { start: bigint; stepMax: number }): Walk {
  const left = [...sources];
  const found: bigint[] = [];
  let after = start;
  let hasGivenUp = false;
  return {
    found,
    hasGivenUp: () => hasGivenUp,
    after: () => after,
    isDone: () => left.length === 0,
    async step(count) {
      for (let rest = Math.min(count, stepMax); rest > 0 && left[0] !== undefined; ) {
        const step = await left[0](after, rest);
        hasGivenUp = step === undefined;
        if (step === undefined) return;
        found.push(...step.ids);
        after = step.last ?? after;
        if (step.examined < rest) left.shift();
        rest -= step.examined;
      }
    },
  };
}

function furthest(walks: Walk[], { sort }: SearchedList): Walk {
  const isFurther = (one: bigint, other: bigint) => (sort === "newest" ? one < other : one > other);
  return walks.reduce((best, walk) => (isFurther(walk.after(), best.after()) ? walk : best));
}

function toPage(walk: Walk, { sort }: SearchedList, limit: number): FoundPets {
  const sign = sort === "newest" ? -1 : 1;
  const found = walk.found.toSorted((one, other) => (one < other ? -sign : sign));
  const ids = found.slice(0, limit);
  const rest = walk.isDone() ? undefined : walk.after();
  return { ids, nextAfter: found.length > limit ? ids.at(-1) : rest };
}
