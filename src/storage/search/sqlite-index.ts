// SQLite's indexes of texts and of names by trigrams: FTS5 gives candidates, and their texts decide.

import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import type { Database } from "../database.ts";
import { createBindValue, createNamedQueries } from "../named-queries.ts";
import { placeSql, readPlaces } from "./places.ts";
import type { SearchWord } from "./search-words.ts";
import { isListedSql, type TextConditions, type TextIndex } from "./text-index.ts";

/** Candidates in a step, which blocks the process for 1 to 2 ms, and in all steps. */
const STEP = 1_000;
const CANDIDATES_MAX = 20_000;
/** FTS5 reads the whole list of every trigram, so the rarest two of a word find its candidates soonest. */
const GRAMS = 2;
const GRAMS_COMPARED = 16;
/** A trigram is rarer than another if this many of the newest animals with it go back further. */
const COMPARED_ANIMALS = 20;

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
  const query = createNamedQueries(db);

  async function chooseGrams(table: string, needle: string): Promise<string[]> {
    const letters = [...needle];
    const all = letters.slice(2).map((_, at) => letters.slice(at, at + 3).join(""));
    const grams = [...new Set(all)].slice(0, GRAMS_COMPARED);
    if (grams.length <= GRAMS) return grams;
    const sql = `SELECT rowid AS row FROM ${table} WHERE ${table} MATCH $1 ORDER BY rowid LIMIT 1 OFFSET ${COMPARED_ANIMALS}`;
    const rows = await Promise.all(grams.map((gram) => db.first(sql, [quote(gram)])));
    const rarity = new Map(grams.map((gram, i) => [gram, rows[i]?.row ?? 0n]));
    return grams
      .toSorted((one, other) => Number((rarity.get(other) as bigint) - (rarity.get(one) as bigint)))
      .slice(0, GRAMS);
  }

  async function matchOf(table: string, words: SearchWord[]): Promise<string> {
    const clauses = words.map(async ({ needles }) => {
      const grams = await Promise.all(needles.map((needle) => chooseGrams(table, needle)));
      return `(${grams.map((each) => `(${each.map(quote).join(" AND ")})`).join(" OR ")})`;
    });
    return (await Promise.all(clauses)).join(" AND ");
  }

  return {
    conditions,
    async findFew(words, list) {
      const table = words.every(({ column }) => column === "name") ? "name_index" : "pet_index";
      const match = await matchOf(table, words);
      const places = [];
      let [after, examined, matched] = [-(2n ** 63n), 0, 0];
      for (let isLast = false; !isLast; await yieldToEventLoop()) {
        const values = [...list.values];
        const bindValue = createBindValue(values);
        const sql = `SELECT count(*) AS examined, max(-pet_id) AS last, sum(is_found) AS matched,
            string_agg(CASE WHEN is_found AND ${isListedSql(list)} THEN place END, ',') AS places
          FROM (
            SELECT pet_id, ${conditions.hasWords(words, bindValue)} AS is_found,
              ${placeSql(conditions.hasNames(words, bindValue))} AS place
            FROM (
              SELECT -rowid AS id FROM ${table} WHERE ${table} MATCH ${bindValue(match)} AND rowid > ${bindValue(after)}
              ORDER BY rowid LIMIT ${STEP}
            ) AS candidate CROSS JOIN pet_texts ON pet_id = candidate.id
          ) AS examined`;
        const row = await query(sql, values);
        places.push(...readPlaces(row?.places));
        examined += Number(row?.examined);
        matched += Number(row?.matched ?? 0);
        if (matched > fewMax || examined >= CANDIDATES_MAX) return undefined;
        isLast = Number(row?.examined) < STEP;
        after = (row?.last as bigint | null) ?? after;
      }
      return places;
    },
  };
}

function quote(gram: string): string {
  return `"${gram.replaceAll('"', '""')}"`;
}
