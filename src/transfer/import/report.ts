// Collects the report of an import: counts, the first problems, and the first animals as they would be.

import type { ImportProblem } from "../../domain/animals/animal-import.ts";
import type { Listing } from "../../domain/animals/listing.ts";
import type { Outcome } from "./match-existing.ts";
import { createNumberSet } from "./number-set.ts";
import type { Row } from "./read-row.ts";

const PROBLEMS_MAX = 100;
const PREVIEW_MAX = 3;

export interface Findings {
  counts: Record<Outcome, number>;
  problems: ImportProblem[];
  preview: Listing[];
  /** Whether the row is not written: it is bad, or its animal stays as it is. */
  isSkipped(number: number): boolean;
  badRows(): number;
  /** Rows are counted from 1. */
  addBad(number: number, row: Row): void;
  addGood(outcome: Outcome, listing: Listing | undefined): void;
  /** A row whose animal stays as it is, because the row was imported before. */
  addKept(number: number, listing: Listing | undefined): void;
}

export function createFindings(onBadRow: (row: Row) => void): Findings {
  const bad = createNumberSet();
  const kept = createNumberSet();
  const counts = { added: 0, updated: 0, unchanged: 0 };
  const problems: ImportProblem[] = [];
  const preview: Listing[] = [];

  function addGood(outcome: Outcome, listing: Listing | undefined): void {
    counts[outcome] += 1;
    if (listing !== undefined && preview.length < PREVIEW_MAX) preview.push(listing);
  }

  return {
    counts,
    problems,
    preview,
    isSkipped: (number) => bad.has(number) || kept.has(number),
    badRows: bad.size,
    addBad(number, row) {
      bad.add(number);
      const left = PROBLEMS_MAX - problems.length;
      problems.push(...row.problems.slice(0, left).map((problem) => ({ line: row.line, ...problem })));
      onBadRow(row);
    },
    addGood,
    addKept(number, listing) {
      kept.add(number);
      addGood("unchanged", listing);
    },
  };
}
