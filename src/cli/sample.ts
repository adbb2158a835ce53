// `sample`: adds sample animals, to try the service.

import { readConfig } from "../config/config.ts";
import { systemClock } from "../domain/basics/clock.ts";
import { COMMAND } from "../tools/program.ts";
import { defineCommand, readCount, SWITCH } from "./command.ts";
import { describeAnimals, print, printJson } from "./output.ts";
import { withProgressBar } from "./progress-bar.ts";

const COUNT_DEFAULT = "50";
const COUNT_MAX = 1_000_000;
/** Enough to look around; larger samples are for measuring. */
const PICTURED_MAX = 240;

export const command = defineCommand({
  help: `Usage: ${COMMAND} sample [N] [--json]

Adds N animals with profiles (default ${COUNT_DEFAULT}), and names their categories if they have no name. The first ${PICTURED_MAX} have drawn
pictures. Apart from dates, they are the same for the same N. Creates a missing store. Do not use it on a store with
real animals: afterwards only their ids differ from real animals.

  --json   print the result as JSON`,
  options: { json: SWITCH },
  positionals: ["[N]"],
  async run({ json }, number = COUNT_DEFAULT) {
    const count = readCount("N", number, { min: 1, max: COUNT_MAX });
    // Imported here because no other command needs them.
    const { addSample } = await import("../transfer/sample.ts");
    const { makeSample } = await import("./sample-pets.ts");
    const sample = { ...makeSample(systemClock.nowMs()), count, pictured: PICTURED_MAX };
    const { firstId, lastId } = await withProgressBar((onProgress) =>
      addSample(readConfig(), sample, onProgress),
    );
    if (json) printJson({ animals: count, firstId, lastId });
    else print(`Added: ${describeAnimals(count, firstId, lastId)}.`);
  },
});
