// The command line as a whole, and the short commands: help, migrate, openapi, keys on a missing store.

import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { COMMANDS } from "../../src/cli/commands.ts";
import { listMissingMigrations, migrate, SCHEMA_VERSION } from "../../src/storage/migrations/migrate.ts";
import { openSqlite } from "../../src/storage/sqlite/engine.ts";
import { commandsIn, runInHost } from "../harness/clients/commands.ts";
import { makeFolder } from "../harness/runner/folder.ts";
import { runCommand } from "../harness/servers/service.ts";
import { makeStore } from "./stores.ts";

const CREATE_KEY = ["keys", "create", "--name", "x", "--plan", "free"];

test("--help lists every command with a summary", async () => {
  const help = await runCommand(["--help"]);
  assert.equal(help.code, 0);
  const names = ["serve", "keys", "shelters", "webhooks", "events", "audit", "import", "export", "sample"];
  const all = [...names, "backup", "restore", "migrate", "copy", "openapi", "settings", "doctor"];
  assert.deepEqual(Object.keys(COMMANDS), all);
  for (const name of all) assert.match(help.stdout, new RegExp(`^  ${name} +\\w`, "m"));
  for (const word of [".env", "HOST", "PORT", "DATABASE_URL", "PUBLIC_URL", '"settings"'])
    assert.ok(help.stdout.includes(word), `the help mentions ${word}`);
  assert.match(help.stdout, /^Documentation: \S*docs\/operating\.md\nFiles for systemd, .*: \S*deploy$/m);
  assert.match(help.stdout, /^ {2}serve +Run the service \(npm start does this\)\.$/m);
});

const HELPS = new Map<string, string>();
for (const [name, [, load]] of Object.entries(COMMANDS)) HELPS.set(name, (await load()).command.help);

test("help texts fit into 120 columns", () => {
  const wide = [...HELPS.values()].flatMap((help) => help.split("\n")).filter((line) => line.length > 120);
  assert.deepEqual(wide, []);
});

test("every command has a help text that begins with its usage", async () => {
  for (const [name, help] of HELPS)
    assert.match(help, new RegExp(`^Usage: npm run -s animal-store -- ${name}\\b`));
  for (const args of [["serve"], ["doctor"], ["keys"], ["keys", "create"], ["webhooks", "test"]]) {
    const { code, stdout } = await runCommand([...args, "--help"]);
    assert.equal(code, 0);
    assert.equal(stdout, `${HELPS.get(args[0] as string)}\n`);
  }
});

test("an unknown or missing command exits with 2", async () => {
  const unknown = await runCommand(["fly"]);
  assert.equal(unknown.code, 2);
  assert.equal(unknown.stderr, 'animal-store: There is no command "fly". --help lists the commands.\n');
  assert.equal((await runCommand([])).code, 2);
});

test("-h and -v are short for --help and --version, with every command", async () => {
  const pairs = {
    "-h": "--help",
    "-v": "--version",
    "backup -h": "backup --help",
    "keys create -h": "keys --help",
  };
  for (const [short, long] of Object.entries(pairs)) {
    const result = await runInHost(short.split(" "), { ENV_FILE: "/no/such/file" });
    assert.deepEqual(result, await runInHost(long.split(" ")));
    assert.equal(result.code, 0, result.stderr);
  }
});

test("a mistyped command, subcommand or option gets a suggestion", async (t) => {
  const { assertRefused } = await makeStore(t);
  const setting = (name: string) =>
    `Settings are variables: put ${name}=VALUE before the command, or into the file .env.`;
  const messages: Record<string, string> = {
    imprt: 'There is no command "imprt". Did you mean "import"? --help lists',
    "keys crate": 'There is no subcommand "crate". Did you mean "create"? See: ',
    "keys fly": 'There is no subcommand "fly". See: ',
    "backup x.db --forse": 'There is no option --forse. Did you mean "--force"? See: ',
    "backup x.db -f": "There is no option -f. See: ",
    "backup x.db --keep": "Option '--keep <value>' argument missing. See: ",
    "serve --port 9000": `There is no option --port. ${setting("PORT")} See: `,
    "--port=9000": `There is no option --port. ${setting("PORT")} --help lists`,
    "serve --admin-api-key=secret": `There is no option --admin-api-key. ${setting("ADMIN_API_KEY")}`,
  };
  for (const [line, says] of Object.entries(messages)) {
    const start = new RegExp(`^animal-store: ${RegExp.escape(says)}`);
    const { stderr } = await assertRefused(line.split(" "), start, 2);
    assert.doesNotMatch(stderr, /secret/);
  }
});

test("keys reports a missing store, and creates one only with --create-store", async (t) => {
  const folder = makeFolder(t);
  const { assertRefused, readOutput } = commandsIn({ DATABASE_URL: `sqlite:${folder}/store.db` });
  const missing =
    /^animal-store: There is no store at \S+store\.db\. Check DATABASE_URL; "serve" and "migrate" create one\.\n$/;
  await assertRefused(["keys", "list"], missing);
  await assertRefused(CREATE_KEY, missing);
  assert.deepEqual(readdirSync(folder), []);
  await readOutput(...CREATE_KEY, "--create-store");
  const relative = await runInHost(["keys", "list"], { DATABASE_URL: "sqlite:no-such/store.db" });
  const start = `no store at no-such/store.db. Relative paths start at ${process.cwd()}. Check`;
  assert.ok(relative.stderr.includes(start), relative.stderr);
});

test("keys rejects another ENVIRONMENT than the keys of the store have", async (t) => {
  const { environment, assertRefused } = await makeStore(t);
  await commandsIn({ ...environment, ENVIRONMENT: "staging" }).readOutput(...CREATE_KEY);
  await assertRefused(CREATE_KEY, /not for ENVIRONMENT=production\. Set ENVIRONMENT as for the service/);
});

test("migrate creates a store, or applies the missing migrations once", async (t) => {
  const folder = makeFolder(t);
  const { readOutput, readJson } = commandsIn({ DATABASE_URL: `sqlite:${join(folder, "store.db")}` });
  assert.equal(await readOutput("migrate"), `Created, schema ${SCHEMA_VERSION}.\n`);
  const older = join(folder, "older.db");
  const db = openSqlite(older);
  await migrate(db, 0, SCHEMA_VERSION - 2);
  await db.close();
  const missing = listMissingMigrations(SCHEMA_VERSION - 2).join(", ");
  const migrated = await commandsIn({ DATABASE_URL: `sqlite:${older}` }).readOutput("migrate");
  assert.equal(migrated, `Applied: ${missing}.\n`);
  assert.equal(await readOutput("migrate"), "The schema is up to date.\n");
  assert.deepEqual(await readJson("migrate"), { applied: [] });
});

test("openapi prints the document without touching the store", async (t) => {
  const folder = makeFolder(t);
  const { readOutput, assertRefused } = commandsIn({
    DATABASE_URL: `sqlite:${folder}/store.db`,
    PUBLIC_URL: "https://animals.example.org",
  });
  const { servers } = JSON.parse(await readOutput("openapi"));
  assert.equal(servers[0].url, "https://animals.example.org/v1");
  assert.match(await readOutput("openapi", "--format", "yaml"), /^openapi: 3\.1\.0$/m);
  await assertRefused(["openapi", "--format", "xml"], /--format must be one of json, yaml\./, 2);
  assert.deepEqual(readdirSync(folder), []);
});
