// The commands by name. A command is loaded when it is run: loading all of them takes twice as long as most commands.

import { SERVE_SHORTCUT } from "../tools/program.ts";
import type { Command } from "./command.ts";

export interface ListedCommand {
  name: string;
  /** For the list of all commands. */
  summary: string;
  load: () => Promise<Command>;
}

export const COMMANDS: ListedCommand[] = [
  {
    name: "serve",
    summary: `Run the service (${SERVE_SHORTCUT}).`,
    load: async () => (await import("./serve.ts")).serve,
  },
  {
    name: "keys",
    summary: "Create, list, show, update, rotate, revoke and unban API keys; show their usage.",
    load: async () => (await import("./keys/keys.ts")).keys,
  },
  {
    name: "webhooks",
    summary: "List, create, show, test, rotate, replay, enable, disable and delete webhooks.",
    load: async () => (await import("./webhooks/webhooks.ts")).webhooks,
  },
  {
    name: "events",
    summary: "Show the changes of the store, and follow them.",
    load: async () => (await import("./events.ts")).events,
  },
  {
    name: "audit",
    summary: "Show who changed keys, webhooks and data.",
    load: async () => (await import("./audit.ts")).audit,
  },
  {
    name: "import",
    summary: "Add or change the animals of a CSV or NDJSON file.",
    load: async () => (await import("./import.ts")).importCommand,
  },
  {
    name: "export",
    summary: "Write the animals to a CSV or NDJSON file.",
    load: async () => (await import("./export.ts")).exportCommand,
  },
  {
    name: "sample",
    summary: "Add sample animals, to try the service.",
    load: async () => (await import("./sample.ts")).sample,
  },
  {
    name: "backup",
    summary: "Copy a SQLite store while it is in use.",
    load: async () => (await import("./backup.ts")).backup,
  },
  {
    name: "restore",
    summary: "Replace a SQLite store with a backup.",
    load: async () => (await import("./restore.ts")).restore,
  },
  {
    name: "migrate",
    summary: "Update the schema of the database to this release.",
    load: async () => (await import("./migrate.ts")).migrateCommand,
  },
  {
    name: "copy",
    summary: "Copy all data to another database.",
    load: async () => (await import("./copy.ts")).copy,
  },
  {
    name: "openapi",
    summary: "Print the OpenAPI document.",
    load: async () => (await import("./openapi.ts")).openapi,
  },
  {
    name: "settings",
    summary: "Print the settings, their values and where these come from.",
    load: async () => (await import("./settings.ts")).settings,
  },
  {
    name: "doctor",
    summary: "Check everything the service needs, and say what the next start would do.",
    load: async () => (await import("./doctor.ts")).doctor,
  },
];
