// Chooses the trigrams by which an index finds the candidates of a search: it reads the list of each, so few and rare ones are best.

/** Looking for another list takes as long as reading this many entries of one. */
const LIST_COST = 1_500;
/** The least share of candidates that a further trigram leaves: they come from the same words, often if they share two letters. */
const LEFT_MIN = { others: 0.01, adjacent: 0.5 };
/** In each needle. */
const COMPARED_MAX = 16;

export type Column = "name" | "text";

/** How common a trigram is. */
export interface Frequency {
  /** The share of animals whose texts have it, from 0 to 1. */
  frequency: number;
  /** The number of animals. */
  animals: number;
}

interface TrigramChoiceOptions {
  find(column: Column, trigram: string): Promise<Frequency>;
  isIndexed(trigram: string): boolean;
  /** Examining a candidate takes as long as reading this many entries of a list. */
  candidateCost: number;
}

/** Trigrams of texts that have all needles; none if there are none to choose from. */
export type TrigramChoice = (column: Column, needles: string[]) => Promise<string[]>;

export function createTrigramChoice({ find, isIndexed, candidateCost }: TrigramChoiceOptions): TrigramChoice {
  return async (column, needles) => {
    const compared = new Map<string, Compared>();
    for (const [needle, text] of needles.entries())
      for (const [at, trigram] of trigramsOf(text).entries())
        if (isIndexed(trigram))
          compared.set(trigram, { trigram, needle, at, ...(await find(column, trigram)) });
    return choose([...compared.values()], candidateCost);
  };
}

function trigramsOf(needle: string): string[] {
  const letters = [...needle];
  return letters.slice(2, 2 + COMPARED_MAX).map((_, at) => letters.slice(at, at + 3).join(""));
}

interface Compared extends Frequency {
  trigram: string;
  /** The number of the needle, and the position in it. */
  needle: number;
  at: number;
}

/** Always the one that saves most, while it saves more candidates than its list costs. */
function choose(compared: Compared[], candidateCost: number): string[] {
  const chosen: Compared[] = [];
  let expected = 1;
  const leftWith = (next: Compared) => {
    const isAdjacent = chosen.some(
      ({ needle, at }) => needle === next.needle && Math.abs(at - next.at) === 1,
    );
    if (chosen.length === 0) return next.frequency;
    return expected * Math.max(next.frequency, isAdjacent ? LEFT_MIN.adjacent : LEFT_MIN.others);
  };
  const savedBy = (next: Compared) =>
    ((expected - leftWith(next)) * candidateCost - next.frequency) * next.animals;

  for (const others = new Set(compared); others.size > 0; ) {
    const best = [...others].reduce((one, other) => (savedBy(other) > savedBy(one) ? other : one));
    if (chosen.length > 0 && savedBy(best) < LIST_COST) break;
    expected = leftWith(best);
    chosen.push(best);
    others.delete(best);
  }
  return chosen.map(({ trigram }) => trigram);
}
