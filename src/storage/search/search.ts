// Finds the animals of a list that have every word: first those whose names have them all, then the others.

import { performance } from "node:perf_hooks";
import { createBoundedMap } from "../../tools/bounded-map.ts";
import type { Database } from "../database.ts";
import { createListReader } from "./list-reader.ts";
import {
  type FoundPets,
  type FoundPositions,
  idOf,
  type Position,
  positionsAfter,
  sortPositions,
  toFoundPage,
} from "./positions.ts";
import { openPostgresIndex } from "./postgres-index.ts";
import { createWordReader, inNames, type SearchWord } from "./search-words.ts";
import { openSqliteIndex } from "./sqlite-index.ts";
import type { SearchedList, TextIndex } from "./text-index.ts";

/** A search that takes longer ends with what it has found, and the next page continues there. */
const SEARCH_MS = 500;
/** More animals than these are many: a page of them is found sooner in the list. */
const FEW_MAX = 1_000;
/** Words that many animals have: for some time, the index is not asked about them. */
const COMMON_MAX = 1_000;
const COMMON_MS = 60_000;

interface SearchPage {
  limit: number;
  /** The end of the page before. */
  after: Position | undefined;
}

export interface Search {
  find(words: readonly string[], list: SearchedList, page: SearchPage): Promise<FoundPets>;
  count(words: readonly string[], list: SearchedList, max: number): Promise<FoundCount>;
}

interface FoundCount {
  /** At most `max`. */
  count: number;
  isExact: boolean;
}

export function createSearch(db: Database, { searchMs = SEARCH_MS, fewMax = FEW_MAX } = {}): Search {
  const index = db.engine === "sqlite" ? openSqliteIndex(db, fewMax) : openPostgresIndex(db, fewMax);
  const readWords = createWordReader(db);
  const readList = createListReader(db, index.conditions);
  const findFew = createFewFinder(index);

  async function findNames(
    words: SearchWord[],
    list: SearchedList,
    { limit, after, endMs }: SearchPage & { endMs: number },
  ): Promise<FoundPositions> {
    const few = await findFew(inNames(words), list);
    if (few !== undefined) return { positions: positionsAfter(few, after, list.sort) };
    return readList({ words, list, part: "names", after: after ?? list.start, limit, endMs });
  }

  return {
    async find(texts, list, { limit, after }) {
      const endMs = performance.now() + searchMs;
      const words = await readWords(texts);
      const few = await findFew(words, list);
      if (few !== undefined) return toFoundPage({ positions: positionsAfter(few, after, list.sort) }, limit);
      const isAfterNames = after !== undefined && after < 0n;
      const names = isAfterNames ? { positions: [] } : await findNames(words, list, { limit, after, endMs });
      if (names.positions.length > limit || names.last !== undefined) return toFoundPage(names, limit);
      const { positions, last } = await readList({
        words,
        list,
        part: "others",
        after: isAfterNames ? idOf(after) : list.start,
        limit: limit - names.positions.length,
        endMs,
      });
      return toFoundPage({ positions: [...names.positions, ...positions], last }, limit);
    },

    async count(texts, list, max) {
      const endMs = performance.now() + searchMs;
      const words = await readWords(texts);
      const few = await findFew(words, list);
      const all = { words, list, part: "all", after: list.start, limit: max, endMs } as const;
      const { positions, last } = few === undefined ? await readList(all) : { positions: few };
      return {
        count: Math.min(positions.length, max),
        isExact: last === undefined && positions.length <= max,
      };
    },
  };
}

/** The index gives all animals with the words, so it is for rare words only. Undefined if the list has to be read. */
function createFewFinder(index: TextIndex) {
  const commonUntilMs = createBoundedMap<string, number>(COMMON_MAX);
  return async (words: SearchWord[], list: SearchedList): Promise<Position[] | undefined> => {
    const key = words.map(({ column, needle }) => `${column} ${needle}`).join("\n");
    const nowMs = performance.now();
    if ((commonUntilMs.get(key) ?? 0) > nowMs) return undefined;
    const positions = await index.findFew(words, list);
    if (positions === undefined) commonUntilMs.set(key, nowMs + COMMON_MS);
    return positions && sortPositions(positions, list.sort);
  };
}
