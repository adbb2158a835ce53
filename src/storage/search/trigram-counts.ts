// How common a trigram is on SQLite: its list in the index is counted, and the count remembered.

import { performance } from "node:perf_hooks";
import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import { createBoundedMap } from "../../tools/bounded-map.ts";
import type { Database } from "../database.ts";
import type { Column, Frequency } from "./rare-trigrams.ts";

export const INDEX_OF = { name: "name_index", text: "pet_index" } as const;

/** Entries of a list that are counted: the newest animals. */
const COUNTED = 1_000;
/** How long, and of how many trigrams, the count is remembered. */
const REMEMBERED_MS = 600_000;
const REMEMBERED_MAX = 10_000;

export function createTrigramCounts(db: Database): (column: Column, trigram: string) => Promise<Frequency> {
  const remembered = createBoundedMap<string, Frequency & { untilMs: number }>(REMEMBERED_MAX);
  return async (column, trigram) => {
    const key = `${column} ${trigram}`;
    const known = remembered.get(key);
    if (known !== undefined && performance.now() < known.untilMs) return known;
    const index = INDEX_OF[column];
    const listed = `SELECT rowid AS row FROM ${index} WHERE ${index} MATCH $1 ORDER BY rowid LIMIT ${COUNTED}`;
    const sql = `SELECT count(*) AS found, -max(row) AS last, (SELECT max(id) FROM pets) AS newest FROM (${listed})`;
    const { found, last, newest } = { ...(await db.first(sql, [quoteTrigram(trigram)])) };
    const animals = Number(newest);
    const examined = animals - (found === BigInt(COUNTED) ? Number(last) : 0);
    const frequency = { animals, frequency: Number(found) / Math.max(1, examined) };
    remembered.set(key, { ...frequency, untilMs: performance.now() + REMEMBERED_MS });
    await yieldToEventLoop();
    return frequency;
  };
}

export function quoteTrigram(trigram: string): string {
  return `"${trigram.replaceAll('"', '""')}"`;
}
