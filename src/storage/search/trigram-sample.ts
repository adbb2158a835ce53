// How common a trigram is on PostgreSQL, whose index would read the whole list to count it: a sample of texts shows it.

import { performance } from "node:perf_hooks";
import { createBoundedMap } from "../../tools/bounded-map.ts";
import type { Database } from "../database.ts";
import type { Column, Frequency } from "./rare-trigrams.ts";

const SAMPLED = 500;
const SAMPLED_LETTERS = 1_000;
const SAMPLE_MS = 600_000;
/** Trigrams whose frequency is remembered. */
const REMEMBERED_MAX = 10_000;
/** As in a large store: a small one may have grown since the sample, and costs little in any case. */
const ANIMALS = 1_000_000;

/** Spread over all ids: the newest animals may be of another kind, or have no texts yet. */
const READ_SAMPLE = `SELECT sampled.text, sampled.name
  FROM (SELECT max(pet_id) AS last FROM pet_texts) AS newest CROSS JOIN generate_series(1, ${SAMPLED}) AS number
  CROSS JOIN LATERAL (
    SELECT substr(text, 1, ${SAMPLED_LETTERS}) AS text, coalesce(name, '') AS name FROM pet_texts
    WHERE pet_id > last / ${SAMPLED} * (number - 1) ORDER BY pet_id LIMIT 1
  ) AS sampled`;

type Sample = (column: Column, trigram: string) => Frequency;

export function createTrigramSample(db: Database): (column: Column, trigram: string) => Promise<Frequency> {
  let known: { sample: Promise<Sample>; untilMs: number } | undefined;

  function findSample(): Promise<Sample> {
    if (known !== undefined && performance.now() < known.untilMs) return known.sample;
    const mine = { sample: readSample(db), untilMs: performance.now() + SAMPLE_MS };
    known = mine;
    mine.sample.catch(() => {
      if (known === mine) known = undefined;
    });
    return mine.sample;
  }

  return async (column, trigram) => (await findSample())(column, trigram);
}

async function readSample(db: Database): Promise<Sample> {
  const rows = await db.all(READ_SAMPLE);
  const remembered = createBoundedMap<string, Frequency>(REMEMBERED_MAX);
  return (column, trigram) => {
    const key = `${column} ${trigram}`;
    const known = remembered.get(key);
    if (known !== undefined) return known;
    const found = rows.filter((row) => (row[column] as string).includes(trigram)).length;
    // Never 0, because a rare one may still be in some of a million texts.
    const frequency = { animals: ANIMALS, frequency: (found + 0.5) / (rows.length + 1) };
    remembered.set(key, frequency);
    return frequency;
  };
}
