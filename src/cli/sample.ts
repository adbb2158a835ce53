// `sample`: adds sample animals, to try the service.

import { readConfig } from "../config.ts";
import { COMMAND } from "../tools/program.ts";
import { type Command, readCount, readFlags, SWITCH } from "./command.ts";
import { describeAnimals, print, printJson } from "./output.ts";
import { withProgressBar } from "./progress-bar.ts";

const COUNT_DEFAULT = "50";
const COUNT_MAX = 1_000_000;

export const sample: Command = {
  name: "sample",
  summary: "Add sample animals, to try the service.",
  help: `Usage: ${COMMAND} sample [N] [--json]

Adds N animals (default ${COUNT_DEFAULT}), the same for the same N, and names their categories if they have no name. Creates a missing
store. Do not use it on a store with real animals: afterwards only the ids tell them apart.

  --json   print the result as JSON`,
  async run(args) {
    const { flags, values } = readFlags(args, { json: SWITCH }, ["[N]"]);
    const count = readCount("N", values[0] ?? COUNT_DEFAULT, { min: 1, max: COUNT_MAX });
    // Imported here because no other command needs them.
    const { addSample } = await import("../transfer/sample.ts");
    const { makeSamplePets, SAMPLE_CATEGORIES } = await import("./sample-pets.ts");
    const data = { pets: makeSamplePets(count), categories: SAMPLE_CATEGORIES };
    const added = await withProgressBar((onProgress) => addSample(readConfig(), data, onProgress));
    if (flags.json) printJson({ animals: count, ...added });
    else print(`Added: ${describeAnimals(count, added.firstId, added.lastId)}.`);
  },
};
