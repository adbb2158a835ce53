// Chooses the trigrams by which FTS5 finds the candidates of a search: it reads the whole list of each, so few and rare ones are best.

import { performance } from "node:perf_hooks";
import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import { createBoundedMap } from "../../tools/bounded-map.ts";
import type { Database } from "../database.ts";

/** In entries of a list: examining a candidate, and looking for another list, take as long as reading these. */
const CANDIDATE_COST = 100;
const LIST_COST = 1_500;
/** Trigrams that share two letters are often in the same texts. */
const ADJACENT_FREQUENCY = 0.5;
/** In each needle. */
const COMPARED_MAX = 16;
/** Entries of a list that are counted: the newest animals. */
const COUNTED = 1_000;
/** How long, and of how many trigrams, the frequency is remembered. */
const REMEMBERED_MS = 600_000;
const REMEMBERED_MAX = 10_000;

/** Trigrams of texts that have all needles. */
type TrigramChoice = (table: string, needles: string[]) => Promise<string[]>;

export function createTrigramChoice(db: Database): TrigramChoice {
  const remembered = createBoundedMap<string, Counted & { untilMs: number }>(REMEMBERED_MAX);

  async function count(table: string, trigram: string): Promise<Counted> {
    const key = `${table} ${trigram}`;
    const known = remembered.get(key);
    if (known !== undefined && performance.now() < known.untilMs) return known;
    const listed = `SELECT rowid AS row FROM ${table} WHERE ${table} MATCH $1 ORDER BY rowid LIMIT ${COUNTED}`;
    const sql = `SELECT count(*) AS found, -max(row) AS last, (SELECT max(id) FROM pets) AS newest FROM (${listed})`;
    const { found, last, newest } = { ...(await db.first(sql, [quoteTrigram(trigram)])) };
    const animals = Number(newest);
    const examined = animals - (found === BigInt(COUNTED) ? Number(last) : 0);
    const counted = { animals, frequency: Number(found) / Math.max(1, examined) };
    remembered.set(key, { ...counted, untilMs: performance.now() + REMEMBERED_MS });
    await yieldToEventLoop();
    return counted;
  }

  return async (table, needles) => {
    const compared = new Map<string, Compared>();
    for (const [needle, text] of needles.entries())
      for (const [at, trigram] of trigramsOf(text).entries())
        compared.set(trigram, { trigram, needle, at, ...(await count(table, trigram)) });
    return choose([...compared.values()]);
  };
}

function trigramsOf(needle: string): string[] {
  const letters = [...needle];
  return letters.slice(2, 2 + COMPARED_MAX).map((_, at) => letters.slice(at, at + 3).join(""));
}

interface Counted {
  /** The share of animals whose texts have the trigram, from 0 to 1. */
  frequency: number;
  animals: number;
}

interface Compared extends Counted {
  trigram: string;
  /** The number of the needle, and the position in it. */
  needle: number;
  at: number;
}

/** From the rarest on, each one that saves more candidates than its list costs. */
function choose(compared: Compared[]): string[] {
  const chosen: Compared[] = [];
  let expected = 1;
  for (const next of compared.toSorted((one, other) => one.frequency - other.frequency)) {
    const isAdjacent = chosen.some(
      ({ needle, at }) => needle === next.needle && Math.abs(at - next.at) === 1,
    );
    const left = expected * (isAdjacent ? Math.max(next.frequency, ADJACENT_FREQUENCY) : next.frequency);
    const saved = ((expected - left) * CANDIDATE_COST - next.frequency) * next.animals;
    if (chosen.length > 0 && saved < LIST_COST) continue;
    expected = left;
    chosen.push(next);
  }
  return chosen.map(({ trigram }) => trigram);
}

export function quoteTrigram(trigram: string): string {
  return `"${trigram.replaceAll('"', '""')}"`;
}
