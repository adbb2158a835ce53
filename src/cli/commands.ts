// The commands by name, each with its summary. A command is loaded when it is run: loading all of them would take
// longer than most commands.

import { SERVE_SHORTCUT } from "../tools/program.ts";
import type { Command } from "./command.ts";

type Listed = [summary: string, load: () => Promise<{ command: Command }>];

export const COMMANDS: Record<string, Listed> = {
  serve: [`Run the service (${SERVE_SHORTCUT}).`, () => import("./serve.ts")],
  keys: [
    "Create, list, show, update, rotate, revoke and unban API keys; show their usage; invite people.",
    () => import("./keys/keys.ts"),
  ],
  shelters: ["List, show, create, update and delete shelters.", () => import("./shelters/shelters.ts")],
  webhooks: [
    "List, create, show, test, rotate, replay, enable, disable and delete webhooks.",
    () => import("./webhooks/webhooks.ts"),
  ],
  events: ["Show the changes of the store, and follow them.", () => import("./events.ts")],
  audit: ["Show who changed keys, shelters, webhooks and data.", () => import("./audit.ts")],
  import: ["Add or change the animals of a CSV or NDJSON file.", () => import("./import.ts")],
  export: [
    "Write the animals to a file, or as files for Petfinder and other sites.",
    () => import("./export.ts"),
  ],
  sample: ["Add sample animals, to try the service.", () => import("./sample.ts")],
  backup: ["Copy a SQLite store while it is in use.", () => import("./backup.ts")],
  restore: ["Replace a SQLite store with a backup.", () => import("./restore.ts")],
  migrate: ["Update the schema of the database to this release.", () => import("./migrate.ts")],
  copy: ["Copy all data to another database.", () => import("./copy.ts")],
  openapi: ["Print the OpenAPI document.", () => import("./openapi.ts")],
  settings: ["Print the settings, their values and where these come from.", () => import("./settings.ts")],
  doctor: [
    "Check everything the service needs, and say what the next start would do.",
    () => import("./doctor.ts"),
  ],
};
