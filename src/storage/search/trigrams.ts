// Chooses the trigrams by which FTS5 finds candidates: it reads the list of texts of every trigram, so few and rare ones are best.

/** Reading a candidate takes as long as this many entries of the list of a trigram. */
const CANDIDATE_COST = 250;
/** The part of the candidates that one more trigram leaves, whatever its frequency: those of one word are often together in others too. */
const LEFT_PART = 0.25;
/** The list of such a trigram costs next to nothing, and it may not exist at all. */
const RARE = 0.005;

/** Estimates in how many of 1 texts a trigram is. */
export type Frequency = (trigram: string) => number;

/** Part of a search expression. */
interface Clause {
  match: string;
  frequency: number;
}

/**
 * The search expression of FTS5. For each word, `words` has the strings of which a text must contain one. The texts that
 * match are candidates, not more.
 */
export function chooseMatch(words: string[][], frequencyOf: Frequency): string {
  const clauses = words.flatMap((needles) => clausesOf(needles, frequencyOf));
  return choose(clauses).match;
}

/** Each trigram of a single string is a clause of its own; several strings are one clause together. */
function clausesOf(needles: string[], frequencyOf: Frequency): Clause[] {
  const [first, ...others] = needles.map((needle) =>
    trigramsOf(needle).map((trigram) => ({ match: quote(trigram), frequency: frequencyOf(trigram) })),
  );
  if (others.length === 0) return first ?? [];
  const either = [first ?? [], ...others].map(choose);
  const match = `(${either.map((clause) => `(${clause.match})`).join(" OR ")})`;
  return [{ match, frequency: Math.min(1, sum(either.map(({ frequency }) => frequency))) }];
}

/** From the rarest clause on, as long as one more saves more candidates than it costs. */
function choose(clauses: Clause[]): Clause {
  const [rarest, ...others] = clauses.toSorted((one, other) => one.frequency - other.frequency);
  if (rarest === undefined) throw new Error("A needle has at least three letters");
  let { match, frequency } = rarest;
  for (const other of others) {
    const saved = frequency * (1 - LEFT_PART);
    if (other.frequency > RARE && saved * CANDIDATE_COST < other.frequency) break;
    match += ` AND ${other.match}`;
    frequency *= LEFT_PART;
  }
  return { match, frequency };
}

/** Each once. */
export function trigramsOf(text: string): string[] {
  const letters = [...text];
  return [...new Set(letters.slice(2).map((_, index) => letters.slice(index, index + 3).join("")))];
}

function quote(trigram: string): string {
  return `"${trigram.replaceAll('"', '""')}"`;
}

function sum(numbers: number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
