// Chooses the grams by which FTS5 finds candidates: it reads the list of texts of every gram, so few and rare ones are best.

import { gramsOf } from "./grams.ts";

/** Reading a candidate takes as long as this many entries of the list of a gram. */
const CANDIDATE_COST = 60;
/**
 * The part of the candidates that one more gram leaves, at least: those of one word are often together in others too, most
 * of all if they share two letters.
 */
const LEFT_PART = 0.03;
const LEFT_PART_ADJACENT = 0.5;

/** Estimates the share of texts that contain a gram, from 0 to 1. */
export type Frequency = (gram: string) => number;

/** Part of a search expression. */
interface Clause {
  match: string;
  /** Share of the texts that match. */
  frequency: number;
  /** Entries of the lists that FTS5 reads for one text of the store. */
  entries: number;
  /** Where the gram is; undefined for several strings. */
  place?: { needle: string; at: number };
}

/**
 * The search expression of FTS5. For each word, `words` has the strings of which a text must contain one. The texts that
 * match are candidates, not more.
 */
export function chooseMatch(words: string[][], frequencyOf: Frequency): string {
  const clauses = words.flatMap((needles) => clausesOf(needles, frequencyOf));
  return choose(clauses).match;
}

/** Each gram of a single string is a clause of its own; several strings are one clause together. */
function clausesOf(needles: string[], frequencyOf: Frequency): Clause[] {
  const [first, ...others] = needles.map((needle) =>
    gramsOf(needle).map((grams, at) => {
      const entries = sum(grams.map(frequencyOf));
      const match = eitherOf(grams.map(quote));
      return { match, frequency: Math.min(1, entries), entries, place: { needle, at } };
    }),
  );
  if (others.length === 0) return first ?? [];
  const either = [first ?? [], ...others].map(choose);
  const match = eitherOf(either.map((clause) => `(${clause.match})`));
  const frequency = Math.min(1, sum(either.map((clause) => clause.frequency)));
  return [{ match, frequency, entries: sum(either.map(({ entries }) => entries)) }];
}

/** From the rarest clause on, always the one that saves most, as long as it saves more candidates than it costs. */
function choose(clauses: Clause[]): Clause {
  const [rarest, ...others] = clauses.toSorted((one, other) => one.frequency - other.frequency);
  if (rarest === undefined) throw new Error("There is no word to look for");
  const chosen = [rarest];
  let { frequency } = rarest;
  for (let left = others; ; ) {
    const costs = left.map((other) => other.entries + frequency * leftPart(other, chosen) * CANDIDATE_COST);
    const least = Math.min(...costs);
    const best = left[costs.indexOf(least)];
    if (best === undefined || least >= frequency * CANDIDATE_COST) break;
    frequency *= leftPart(best, chosen);
    chosen.push(best);
    left = left.filter((other) => other !== best);
  }
  const match = chosen.map((clause) => clause.match).join(" AND ");
  return { match, frequency, entries: sum(chosen.map(({ entries }) => entries)) };
}

function leftPart(clause: Clause, chosen: Clause[]): number {
  const isAdjacent = chosen.some((other) => areAdjacent(clause.place, other.place));
  return Math.max(clause.frequency, isAdjacent ? LEFT_PART_ADJACENT : LEFT_PART);
}

function areAdjacent(one: Clause["place"], other: Clause["place"]): boolean {
  return one?.needle === other?.needle && Math.abs((one?.at ?? 0) - (other?.at ?? 0)) === 1;
}

function eitherOf(matches: string[]): string {
  return matches.length === 1 ? (matches[0] as string) : `(${matches.join(" OR ")})`;
}

function quote(gram: string): string {
  return `"${gram.replaceAll('"', '""')}"`;
}

function sum(numbers: number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
