// `migrate`: brings the database to the schema of this release.

import { migrateStorage } from "../command-stores.ts";
import { readConfig } from "../config.ts";
import { type Command, readFlags } from "./command.ts";
import { print, printJson } from "./output.ts";

export const migrateCommand: Command = {
  name: "migrate",
  summary: "Bring the database to the schema of this release.",
  help: `Usage: npm run -s animal-store -- migrate [--json]

Applies the missing steps, all of them or none. serve does the same at its start; run this beforehand to see it
succeed before the service is restarted.`,
  async run(args) {
    const { flags } = readFlags(args, { json: { type: "boolean" } });
    const applied = await migrateStorage(readConfig());
    if (flags.json) printJson({ applied });
    else print(applied.length === 0 ? "The schema is up to date." : `Applied: ${applied.join(", ")}.`);
  },
};
