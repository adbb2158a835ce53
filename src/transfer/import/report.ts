// Collects the report of an import: counts, the first problems, and the first animals as they would be.

import type { ImportProblem } from "../../domain/animals/animal-import.ts";
import type { Listing } from "../../domain/animals/listing.ts";
import type { Outcome } from "./match-existing.ts";
import type { Row } from "./read-row.ts";

const PROBLEMS_MAX = 100;
const PREVIEW_MAX = 3;

export interface Findings {
  counts: Record<Outcome, number>;
  problems: ImportProblem[];
  preview: Listing[];
  isBad(number: number): boolean;
  badRows(): number;
  /** Rows are counted from 1. */
  addBad(number: number, row: Row): void;
  addGood(outcome: Outcome, listing: Listing | undefined): void;
}

export function createFindings(onBadRow: (row: Row) => void): Findings {
  const bad = createNumberSet();
  const counts = { added: 0, updated: 0, unchanged: 0 };
  const problems: ImportProblem[] = [];
  const preview: Listing[] = [];
  return {
    counts,
    problems,
    preview,
    isBad: bad.has,
    badRows: bad.size,
    addBad(number, row) {
      bad.add(number);
      const left = PROBLEMS_MAX - problems.length;
      problems.push(...row.problems.slice(0, left).map((problem) => ({ line: row.line, ...problem })));
      onBadRow(row);
    },
    addGood(outcome, listing) {
      counts[outcome] += 1;
      if (listing !== undefined && preview.length < PREVIEW_MAX) preview.push(listing);
    },
  };
}

/** A bit for each number: every row of a file of millions may be bad. */
function createNumberSet() {
  let bits = new Uint8Array(1_024);
  let size = 0;
  return {
    add(number: number): void {
      const at = number >> 3;
      if (at >= bits.length) {
        const larger = new Uint8Array(Math.max(at + 1, bits.length * 2));
        larger.set(bits);
        bits = larger;
      }
      const bit = 1 << (number & 7);
      if (((bits[at] as number) & bit) === 0) size += 1;
      bits[at] = (bits[at] as number) | bit;
    },
    has: (number: number) => ((bits[number >> 3] ?? 0) & (1 << (number & 7))) !== 0,
    size: () => size,
  };
}
