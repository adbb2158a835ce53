// Chooses the trigrams by which an index finds the candidates of a search: it reads the list of each, so few and rare ones are best.

import { performance } from "node:perf_hooks";
import { createBoundedMap } from "../../tools/bounded-map.ts";
import type { Database } from "../database.ts";

/** In entries of a list: examining a candidate, whose text may be on disk, takes as long as reading these. */
const CANDIDATE_COST = { sqlite: 100, postgres: 500 };
/** The same for looking for another list. */
const LIST_COST = 1_500;
/** Trigrams that share two letters are often in the same texts. */
const ADJACENT_FREQUENCY = 0.5;
/** In each needle. */
const COMPARED_MAX = 16;
/** How common a trigram is shows in the texts of the newest animals. */
const SAMPLED = 500;
const SAMPLED_LETTERS = 1_000;
const SAMPLE_MS = 600_000;
/** Trigrams whose frequency is remembered. */
const REMEMBERED_MAX = 10_000;

type Column = "name" | "text";

/** Trigrams of texts that have all needles; none if there are none to choose from. */
export type TrigramChoice = (column: Column, needles: string[]) => Promise<string[]>;

/** Chooses among the trigrams that the index has. */
export function createTrigramChoice(db: Database, isIndexed = (_trigram: string) => true): TrigramChoice {
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

  return async (column, needles) => {
    const { animals, frequencyOf } = await findSample();
    const compared = new Map<string, Compared>();
    for (const [needle, text] of needles.entries())
      for (const [at, trigram] of trigramsOf(text).entries())
        if (isIndexed(trigram))
          compared.set(trigram, { trigram, needle, at, frequency: frequencyOf(column, trigram) });
    return choose([...compared.values()], { animals, candidateCost: CANDIDATE_COST[db.engine] });
  };
}

interface Sample {
  /** At least as many as there are. */
  animals: number;
  /** The share of animals whose texts have the trigram, from 0 to 1. */
  frequencyOf(column: Column, trigram: string): number;
}

async function readSample(db: Database): Promise<Sample> {
  const rows =
    await db.all(`SELECT pet_id, substr(text, 1, ${SAMPLED_LETTERS}) AS text, coalesce(name, '') AS name
    FROM pet_texts ORDER BY pet_id DESC LIMIT ${SAMPLED}`);
  const remembered = createBoundedMap<string, number>(REMEMBERED_MAX);
  return {
    animals: Number(rows[0]?.pet_id ?? 0),
    frequencyOf(column, trigram) {
      const key = `${column} ${trigram}`;
      let frequency = remembered.get(key);
      if (frequency === undefined) {
        const found = rows.filter((row) => (row[column] as string).includes(trigram)).length;
        // Never 0, because a rare one may still be in some of a million texts.
        frequency = (found + 0.5) / (rows.length + 1);
        remembered.set(key, frequency);
      }
      return frequency;
    },
  };
}

function trigramsOf(needle: string): string[] {
  const letters = [...needle];
  return letters.slice(2, 2 + COMPARED_MAX).map((_, at) => letters.slice(at, at + 3).join(""));
}

interface Compared {
  trigram: string;
  /** The number of the needle, and the position in it. */
  needle: number;
  at: number;
  frequency: number;
}

/** Always the one that saves most, while it saves more candidates than its list costs. */
function choose(
  compared: Compared[],
  { animals, candidateCost }: { animals: number; candidateCost: number },
): string[] {
  const chosen: Compared[] = [];
  let expected = 1;
  const leftWith = (next: Compared) => {
    const isAdjacent = chosen.some(
      ({ needle, at }) => needle === next.needle && Math.abs(at - next.at) === 1,
    );
    return expected * (isAdjacent ? Math.max(next.frequency, ADJACENT_FREQUENCY) : next.frequency);
  };
  const savedBy = (next: Compared) =>
    ((expected - leftWith(next)) * candidateCost - next.frequency) * animals;

  for (const others = new Set(compared); others.size > 0; ) {
    const best = [...others].reduce((one, other) => (savedBy(other) > savedBy(one) ? other : one));
    if (chosen.length > 0 && savedBy(best) < LIST_COST) break;
    expected = leftWith(best);
    chosen.push(best);
    others.delete(best);
  }
  return chosen.map(({ trigram }) => trigram);
}
