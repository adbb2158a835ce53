// `migrate`: updates the schema of the database to this release.

import { migrateStorage } from "../command-stores.ts";
import { readConfig } from "../config/config.ts";
import { COMMAND } from "../tools/program.ts";
import { defineCommand, SWITCH } from "./command.ts";
import { print, printJson, printNote } from "./output.ts";

export const command = defineCommand({
  help: `Usage: ${COMMAND} migrate [--json]

Applies the missing migrations, all of them or none. "serve" does the same when it starts. Run this before a restart to
be sure that the migrations succeed.`,
  options: { json: SWITCH },
  async run({ json }) {
    const { applied, createdSchema, searchFault } = await migrateStorage(readConfig(), printNote);
    if (searchFault !== undefined) printNote(`Everything works, but ${searchFault.message}`);
    if (json) printJson({ applied });
    else if (createdSchema !== undefined) print(`Created, schema ${createdSchema}.`);
    else print(applied.length === 0 ? "The schema is up to date." : `Applied: ${applied.join(", ")}.`);
  },
});
