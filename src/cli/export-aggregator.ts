// `export --format petfinder|adoptapet|rescuegroups`: writes the files of an aggregator to a folder.

import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { readConfig } from "../config/config.ts";
import type { Aggregator } from "../domain/animals/aggregator.ts";
import { systemClock } from "../domain/basics/clock.ts";
import { OperatorError } from "../tools/operator-error.ts";
import { showName } from "../tools/shown-text.ts";
import type { BadAnimal, FolderResult } from "../transfer/export/aggregator-folder.ts";
import { UsageError } from "./command.ts";
import { count, createTable, print, printJson, printNote, untilRead } from "./output.ts";
import { withProgressBar } from "./progress-bar.ts";

const NO_ADDRESSES =
  "This site reads photos from their addresses. Set PUBLIC_URL to the public address of the service.";

interface Options {
  out: string | undefined;
  shelter: bigint | undefined;
  skip: boolean;
  isDryRun: boolean;
  asJson: boolean;
}

/** Throws an OperatorError if animals cannot be expressed. */
export async function exportForAggregator(aggregator: Aggregator, options: Options): Promise<void> {
  const { out, shelter: shelterId, skip, isDryRun, asJson } = options;
  if (out === undefined && !isDryRun) throw new UsageError("--out is missing: the folder of the files.");
  const folder = resolve(out ?? ".");
  const badAnimals: BadAnimal[] = [];
  const printRows = createTable<BadAnimal>({
    ID: ({ id }) => `${id}`,
    NAME: ({ name }) => showName(name),
    "CANNOT BE EXPRESSED": ({ reasons }) => reasons.join(", "),
  });
  // Imported here because few commands need them.
  const { exportToFolder } = await import("../transfer/export/aggregator-folder.ts");
  const { FORMATS } = await import("../transfer/export/aggregator-file.ts");
  const { refuseTarget } = await import("../transfer/target.ts");
  const config = readConfig();
  const path = join(folder, FORMATS[aggregator].file);
  if (existsSync(path)) refuseTarget(config, path, true);
  const result = await withProgressBar((onProgress) =>
    exportToFolder(config, {
      aggregator,
      folder,
      shelterId,
      skip,
      isDryRun,
      nowMs: systemClock.nowMs(),
      onProgress,
      async onBadAnimals(animals) {
        if (asJson) badAnimals.push(...animals);
        else printRows(animals);
        await untilRead();
      },
    }),
  );
  if (asJson) printJson({ format: aggregator, isDryRun, ...result, badAnimals });
  else print(describeResult(result, folder));
  if (result.needsPublicUrl && isDryRun) printNote(NO_ADDRESSES);
  if (result.bad > 0 && (isDryRun || !skip)) throw refusal(result);
  if (result.needsPublicUrl && !isDryRun) throw new OperatorError(NO_ADDRESSES);
}

function describeResult({ animals, bad, photos, files }: FolderResult, folder: string): string {
  if (files.length === 0)
    return `${animals} of ${count(animals + bad, "animal")} can be expressed. Nothing was written.`;
  const [file = ""] = files;
  const exported =
    files.length === 1
      ? `${count(animals, "animal")} to ${file}`
      : `${count(animals, "animal")} and ${count(photos, "photo")} to ${folder}`;
  return `Exported: ${exported}.${bad > 0 ? ` Left out: ${count(bad, "animal")}.` : ""}`;
}

function refusal({ animals, bad }: FolderResult): OperatorError {
  return new OperatorError(
    `${bad} of ${count(animals + bad, "animal")} cannot be expressed. Complete their profiles, or leave them out with --skip: the site then deletes them.`,
  );
}
