// Output of `import`: each bad row with its line, and how many animals were added.

import { OperatorError } from "../tools/operator-error.ts";
import type { CheckedFile } from "../transfer/check-file.ts";
import type { ImportOutcome } from "../transfer/import.ts";
import { print, printJson, printTable } from "./output.ts";

/** `outcome` is undefined if nothing was written. */
export function printImport(
  { rows, bad, badRows }: CheckedFile,
  outcome: ImportOutcome | undefined,
  asJson: boolean | undefined,
): void {
  if (asJson) {
    const { pets = 0, firstId, lastId, continuedAfter } = outcome ?? {};
    const result = resultOf(outcome);
    printJson({ result, rows, bad, badRows, animals: pets, firstId, lastId, continuedAfter });
    return;
  }
  if (badRows.length > 0) {
    printTable(
      ["LINE", "PROBLEM"],
      badRows.map(({ line, problem }) => [String(line), problem]),
    );
    print(bad > badRows.length ? `… and ${bad - badRows.length} more\n` : "");
  }
  if (outcome !== undefined) print(describeOutcome(outcome, bad));
  else if (bad === 0) print(`${count(rows, "row")}, all valid. Nothing was written.`);
  else print(`${count(rows, "row")}, ${rows - bad} of them valid. Nothing was written.`);
}

function resultOf(outcome: ImportOutcome | undefined): string {
  if (outcome === undefined) return "nothing written";
  return outcome.wasDone ? "imported before" : "imported";
}

function describeOutcome(outcome: ImportOutcome, badRows: number): string {
  const { wasDone, continuedAfter, pets, firstId, lastId, finishedAtMs = 0 } = outcome;
  const animals = `${count(pets, "animal")}${pets === 0 ? "" : `, with ids from ${firstId} to ${lastId}`}`;
  if (wasDone) {
    const day = new Date(finishedAtMs).toISOString();
    return `This file was imported before, at ${day}: ${animals}. Nothing was added; --again imports it once more.`;
  }
  const continued =
    continuedAfter === 0
      ? ""
      : ` It continued after row ${continuedAfter}, where the last attempt was interrupted.`;
  const skipped = badRows === 0 ? "" : ` Skipped: ${count(badRows, "bad row")}.`;
  return `Imported: ${animals}.${continued}${skipped}`;
}

export function refuseBadRows({ rows, bad }: CheckedFile): never {
  const advice =
    bad === rows
      ? "Check the file and --map."
      : "Correct the file, or import the other rows with --skip-bad.";
  throw new OperatorError(
    `${bad} of ${count(rows, "row")} cannot be imported, so nothing was imported. ${advice}`,
  );
}

function count(number: number, word: string): string {
  return `${number} ${word}${number === 1 ? "" : "s"}`;
}
