// SQLite's indexes of texts and of names by trigrams: FTS5 gives candidates, and their texts decide.

import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import { INT64_MAX } from "../../domain/basics/int64.ts";
import type { Database } from "../database.ts";
import { createBindValue } from "../statements.ts";
import { type Position, readPositions, signedIdSql } from "./positions.ts";
import { createTrigramChoice } from "./rare-trigrams.ts";
import { indexNeedles, type SearchWord } from "./search-words.ts";
import {
  hasCategorySql,
  isListedSql,
  type SearchedList,
  type TextConditions,
  type TextIndex,
} from "./text-index.ts";
import { createTrigramCounts, INDEX_OF, quoteTrigram } from "./trigram-counts.ts";

/** Candidates in a step, which blocks the process for 1 to 2 ms, and in all steps. */
const STEP = 1_000;
const CANDIDATES_MAX = 20_000;
/** In entries of a list that take as long to read. */
const CANDIDATE_COST = 100;
/** A word of more categories is not looked for in the index. */
const NEEDLES_MAX = 20;

interface Step {
  words: SearchWord[];
  list: SearchedList;
  table: string;
  match: string;
  after: bigint;
}

const conditions: TextConditions = {
  hasWords: (words, bindValue) =>
    words
      .map(({ column, needles, categoryIds }) => {
        const found = needles.map((needle) => `instr(${column}, ${bindValue(needle)}) > 0`);
        return `(${[...found, ...hasCategorySql("sqlite", categoryIds, bindValue)].join(" OR ")})`;
      })
      .join(" AND "),
  hasNames: (words, bindValue) =>
    words.map(({ needle }) => `instr(name, ${bindValue(needle)}) > 0`).join(" AND "),
};

export function openSqliteIndex(db: Database, fewMax: number): TextIndex {
  const chooseTrigrams = createTrigramChoice({
    find: createTrigramCounts(db),
    isIndexed: () => true,
    candidateCost: CANDIDATE_COST,
  });
  return {
    conditions,
    async findFew(words, list) {
      const indexed = words.flatMap((word) => {
        const needles = indexNeedles(word, NEEDLES_MAX);
        return needles === undefined ? [] : [needles];
      });
      if (indexed.length === 0) return undefined;
      const column = words.every(({ column }) => column === "name") ? "name" : "text";
      const table = INDEX_OF[column];
      const match = await matchOf(indexed, (needles) => chooseTrigrams(column, needles));
      const positions: Position[] = [];
      let after = -INT64_MAX;
      for (let [examined, matched] = [0, 0]; matched <= fewMax && examined < CANDIDATES_MAX; ) {
        const row = await readStep(db, { words, list, table, match, after });
        positions.push(...readPositions(row?.signed_ids));
        matched += Number(row?.matched ?? 0);
        examined += Number(row?.examined);
        if (Number(row?.examined) < STEP) return matched > fewMax ? undefined : positions;
        after = row?.last as bigint;
        await yieldToEventLoop();
      }
      return undefined;
    },
  };
}

/** Each word is one of its needles. The trigrams of words with one needle are chosen together: a few lists are enough. */
async function matchOf(
  words: string[][],
  chooseTrigrams: (needles: string[]) => Promise<string[]>,
): Promise<string> {
  const single = words.flatMap((needles) => (needles.length === 1 ? needles : []));
  const several = words.filter(({ length }) => length > 1);
  const conjunction = async (needles: string[]) =>
    `(${(await chooseTrigrams(needles)).map(quoteTrigram).join(" AND ")})`;
  const clauses = single.length === 0 ? [] : [await conjunction(single)];
  for (const needles of several) {
    const each = await Promise.all(needles.map((needle) => conjunction([needle])));
    clauses.push(`(${each.join(" OR ")})`);
  }
  return clauses.join(" AND ");
}

/** `after` is a row id, which is the id of an animal with a minus sign. */
function readStep(db: Database, { words, list, table, match, after }: Step) {
  const values = [...list.values, match, after];
  const [isMatch, isAfter] = [`$${values.length - 1}`, `$${values.length}`];
  const bindValue = createBindValue(values);
  const sql = `SELECT count(*) AS examined, max(-pet_id) AS last, sum(is_found) AS matched,
      string_agg(CASE WHEN is_found AND ${isListedSql(list)} THEN signed_id END, ',') AS signed_ids
    FROM (
      SELECT pet_id, ${conditions.hasWords(words, bindValue)} AS is_found,
        ${signedIdSql(conditions.hasNames(words, bindValue))} AS signed_id
      FROM (
        SELECT rowid AS row FROM ${table} WHERE ${table} MATCH ${isMatch} AND rowid > ${isAfter}
        ORDER BY rowid LIMIT ${STEP}
      ) AS candidate CROSS JOIN pet_texts ON pet_id = -candidate.row
    ) AS examined`;
  return db.named(sql, values);
}
