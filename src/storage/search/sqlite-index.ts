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
/** FTS5 reads the whole list of every trigram, so the rarest two of a word find its candidates soonest. */
const GRAMS = 2;
const GRAMS_COMPARED = 16;
/** A trigram is rarer than another if this many of the newest animals with it go back further. */
const COMPARED_ANIMALS = 20;

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
