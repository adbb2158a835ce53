// SQLite's indexes of texts and of names by trigrams: FTS5 gives candidates, and their texts decide.

import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import { INT64_MAX } from "../../domain/basics/int64.ts";
import type { Database } from "../database.ts";
import { createBindValue } from "../statements.ts";
import { type Place, placeSql, readPlaces } from "./places.ts";
import type { SearchWord } from "./search-words.ts";
import { isListedSql, type SearchedList, type TextConditions, type TextIndex } from "./text-index.ts";

/** Candidates in a step, which blocks the process for 1 to 2 ms, and in all steps. */
const STEP = 1_000;
const CANDIDATES_MAX = 20_000;
/** FTS5 reads the list of every trigram. Examining a candidate takes as long as this many entries of a list. */
const CANDIDATE_COST = 60;
const GRAMS_COMPARED = 16;
/** Trigrams that share two letters are often in the same texts. */
const ADJACENT_FREQUENCY = 0.5;
/** The frequency of a trigram is estimated by the ids of this many of the newest animals with it. */
const COMPARED_ANIMALS = 40;
/** A word of more categories is not looked for in the index. */
const NEEDLES_MAX = 20;

interface Step {
  table: string;
  match: string;
  after: bigint;
}

const conditions: TextConditions = {
  hasWords: (words, bindValue) =>
    words
      .map(({ column, needles: [first = "", ...others] }) =>
        others.length === 0
          ? `instr(${column}, ${bindValue(first)}) > 0`
          : `EXISTS (SELECT 1 FROM json_each(${bindValue(JSON.stringify([first, ...others]))})
              WHERE instr(${column}, value) > 0)`,
      )
      .join(" AND "),
  hasNames: (words, bindValue) =>
    words.map(({ needle }) => `instr(name, ${bindValue(needle)}) > 0`).join(" AND "),
};

export function openSqliteIndex(db: Database, fewMax: number): TextIndex {
  /** An estimate, from 0 to 1. */
  async function findFrequency(table: string, gram: string, newest: number): Promise<number> {
    const sql = `SELECT -rowid AS id FROM ${table} WHERE ${table} MATCH $1 ORDER BY rowid LIMIT 1 OFFSET ${COMPARED_ANIMALS}`;
    const row = await db.first(sql, [quote(gram)]);
    return row === undefined ? 0 : COMPARED_ANIMALS / (newest - Number(row.id));
  }

  async function chooseGrams(table: string, needle: string): Promise<string[]> {
    const letters = [...needle];
    const each = letters.slice(2, 2 + GRAMS_COMPARED).map((_, at) => letters.slice(at, at + 3).join(""));
    const all = [...new Set(each)];
    if (all.length === 1) return all;
    const newest = Number((await db.first("SELECT coalesce(max(id), 0) AS id FROM pets"))?.id);
    const frequencies = await Promise.all(all.map((gram) => findFrequency(table, gram, newest)));
    const grams = all.map((gram, at) => ({ gram, at, frequency: frequencies[at] ?? 0 }));
    const chosen: typeof grams = [];
    let expected = newest;
    for (const next of grams.sort((one, other) => one.frequency - other.frequency)) {
      const isAdjacent = chosen.some(({ at }) => Math.abs(at - next.at) === 1);
      const left = expected * (isAdjacent ? Math.max(next.frequency, ADJACENT_FREQUENCY) : next.frequency);
      if (chosen.length > 0 && (expected - left) * CANDIDATE_COST < next.frequency * newest) continue;
      expected = left;
      chosen.push(next);
    }
    return chosen.map(({ gram }) => gram);
  }

  async function matchOf(table: string, words: SearchWord[]): Promise<string> {
    const clauses = words.map(async ({ needles }) => {
      const grams = await Promise.all(needles.map((needle) => chooseGrams(table, needle)));
      return `(${grams.map((each) => `(${each.map(quote).join(" AND ")})`).join(" OR ")})`;
    });
    return (await Promise.all(clauses)).join(" AND ");
  }

  /** `after` is a row id, which is the id of an animal with a minus sign. */
  function readStep(words: SearchWord[], list: SearchedList, { table, match, after }: Step) {
    const values = [...list.values, match, after];
    const [isMatch, isAfter] = [`$${values.length - 1}`, `$${values.length}`];
    const bindValue = createBindValue(values);
    const sql = `SELECT count(*) AS examined, max(-pet_id) AS last, sum(is_found) AS matched,
        string_agg(CASE WHEN is_found AND ${isListedSql(list)} THEN place END, ',') AS places
      FROM (
        SELECT pet_id, ${conditions.hasWords(words, bindValue)} AS is_found,
          ${placeSql(conditions.hasNames(words, bindValue))} AS place
        FROM (
          SELECT rowid AS row FROM ${table} WHERE ${table} MATCH ${isMatch} AND rowid > ${isAfter}
          ORDER BY rowid LIMIT ${STEP}
        ) AS candidate CROSS JOIN pet_texts ON pet_id = -candidate.row
      ) AS examined`;
    return db.named(sql, values);
  }

  return {
    conditions,
    async findFew(words, list) {
      const indexed = words.filter(({ needles }) => needles.length <= NEEDLES_MAX);
      if (indexed.length === 0) return undefined;
      const table = words.every(({ column }) => column === "name") ? "name_index" : "pet_index";
      const match = await matchOf(table, indexed);
      const places: Place[] = [];
      let after = -INT64_MAX;
      for (let [examined, matched] = [0, 0]; matched <= fewMax && examined < CANDIDATES_MAX; ) {
        const row = await readStep(words, list, { table, match, after });
        places.push(...readPlaces(row?.places));
        matched += Number(row?.matched ?? 0);
        examined += Number(row?.examined);
        if (Number(row?.examined) < STEP) return matched > fewMax ? undefined : places;
        after = row?.last as bigint;
        await yieldToEventLoop();
      }
      return undefined;
    },
  };
}

function quote(gram: string): string {
  return `"${gram.replaceAll('"', '""')}"`;
}
