// Reads a list in its order until enough animals have the words of a search: for common words, and without an index.

import { performance } from "node:perf_hooks";
import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import { PAGE_LIMIT_MAX } from "../../domain/basics/list-limits.ts";
import type { Database } from "../database.ts";
import { createBindValue } from "../statements.ts";
import { type FoundPositions, type Position, readPositions, sortPositions } from "./positions.ts";
import type { SearchWord } from "./search-words.ts";
import type { SearchedList, TextConditions } from "./text-index.ts";

/** Animals that the first step reads per result; each step is larger than the one before. */
const FIRST_STEP = 4;
const STEP_GROWTH = 3;
/** Animals in a step. One of SQLite blocks the process, one of PostgreSQL has a deadline. */
const STEP_MAX = { sqlite: 1_000, postgres: 20_000 };

interface Reading {
  words: SearchWord[];
  list: SearchedList;
  part: "names" | "others" | "all";
  /** An id. */
  after: bigint;
  limit: number;
  /** A reading that takes longer ends with what it has found. */
  endMs: number;
}

/** Reads at least `limit + 1` positions, unless there are fewer. */
export type ListReader = (reading: Reading) => Promise<FoundPositions>;

export function createListReader(db: Database, conditions: TextConditions): ListReader {
  return async (reading) => {
    const { list, part, limit, endMs } = reading;
    const sign = part === "others" ? -1n : 1n;
    const positions: Position[] = [];
    let { after } = reading;
    let step = (Math.min(limit, PAGE_LIMIT_MAX) + 1) * FIRST_STEP;
    for (; ; step *= STEP_GROWTH) {
      step = Math.min(step, STEP_MAX[db.engine]);
      const values = [...list.values, after, step];
      const row = await db.named(stepSql(reading, values, conditions), values);
      positions.push(...readPositions(row?.ids).map((id) => id * sign));
      if (Number(row?.examined) < step) return { positions: sortPositions(positions, list.sort) };
      after = row?.last as bigint;
      if (positions.length > limit || performance.now() >= endMs) break;
      await yieldToEventLoop();
    }
    return { positions: sortPositions(positions, list.sort), last: after * sign };
  };
}

/** The last two values are where the step begins and how many animals it has. */
function stepSql(
  { words, list, part }: Reading,
  values: Parameters<typeof createBindValue>[0],
  { hasWords, hasNames }: TextConditions,
): string {
  const ids = list.selectIds(`$${values.length - 1}`, `$${values.length}`);
  const bindValue = createBindValue(values);
  const isFound = {
    names: () => hasNames(words, bindValue),
    others: () => `${hasWords(words, bindValue)} AND (${hasNames(words, bindValue)}) IS NOT TRUE`,
    all: () => hasWords(words, bindValue),
  };
  // A subquery for each animal: PostgreSQL may turn a join into a scan of all texts.
  return `SELECT count(*) AS examined, ${list.sort === "newest" ? "min" : "max"}(id) AS last,
      string_agg(CASE WHEN is_found THEN CAST(id AS TEXT) END, ',') AS ids
    FROM (
      SELECT id, (SELECT ${isFound[part]()} FROM pet_texts WHERE pet_id = page.id) AS is_found
      FROM (${ids}) AS page
    ) AS examined`;
}
