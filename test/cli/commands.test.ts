// The command line as a whole, and the short commands: help, migrate, openapi, keys on a missing store.

import assert from "node:assert/strict";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { COMMANDS } from "../../src/cli/commands.ts";
import { listMissingMigrations, migrate, SCHEMA_VERSION } from "../../src/storage/migrations/migrate.ts";
import { openSqlite } from "../../src/storage/sqlite/engine.ts";
import { runInHost } from "../harness/clients/commands.ts";
import { makeFolder } from "../harness/runner/folder.ts";
import { runCommand } from "../harness/servers/service.ts";
import { makeStore } from "./stores.ts";

test("--help lists every command with a summary", async () => {
  const help = await runCommand(["--help"]);
  assert.equal(help.code, 0);
  const names = ["serve", "keys", "webhooks", "events", "audit", "import", "export", "sample"];
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
  assert.deepEqual(
    [unknown.code, unknown.stderr],
    [2, 'animal-store: There is no command "fly". --help lists the commands.\n'],
  );
  assert.equal((await runCommand([])).code, 2);
});

test("-h and -v are short for --help and --version, with every command", async () => {
  for (const [short, long] of [
    [["-h"], ["--help"]],
    [["-v"], ["--version"]],
    [
      ["backup", "-h"],
      ["backup", "--help"],
    ],
    [
      ["keys", "create", "-h"],
      ["keys", "create", "--help"],
    ],
  ] as const) {
    const result = await runInHost([...short], { ENV_FILE: "/no/such/file" });
    assert.deepEqual(result, await runInHost([...long]));
    assert.equal(result.code, 0, result.stderr);
  }
});

test("a mistyped command, subcommand or option gets a suggestion", async (t) => {
  const { command } = await makeStore(t);
  const setting = (name: string) =>
    `Settings are variables: put ${name}=VALUE before the command, or into the file .env.`;
  const cases: Array<[args: string[], says: string]> = [
    [["imprt"], 'There is no command "imprt". Did you mean "import"? --help lists'],
    [["keys", "crate"], 'There is no subcommand "crate". Did you mean "create"? See: '],
    [["keys", "fly"], 'There is no subcommand "fly". See: '],
    [["backup", "x.db", "--forse"], 'There is no option --forse. Did you mean "--force"? See: '],
    [["backup", "x.db", "-f"], "There is no option -f. See: "],
    [["serve", "--port", "9000"], `There is no option --port. ${setting("PORT")} See: `],
    [["--port=9000"], `There is no option --port. ${setting("PORT")} --help lists`],
    [["serve", "--admin-api-key=secret"], `There is no option --admin-api-key. ${setting("ADMIN_API_KEY")}`],
    [["backup", "x.db", "--keep"], "Option '--keep <value>' argument missing. See: "],
  ];
  for (const [args, says] of cases) {
    const { code, stderr } = await command(...args);
    assert.equal(code, 2);
    assert.ok(stderr.startsWith(`animal-store: ${says}`), stderr);
    assert.doesNotMatch(stderr, /secret/);
  }
});

test("keys reports a missing store, and rejects another ENVIRONMENT than the store has", async (t) => {
  const folder = makeFolder(t);
  const environment = { DATABASE_URL: `sqlite:${folder}/store.db` };
  const list = await runInHost(["keys", "list"], environment);
  assert.equal(list.code, 1);
  assert.match(
    list.stderr,
    /^animal-store: There is no store at \S+store\.db\. Check DATABASE_URL; "serve" and "migrate" create one\.\n$/,
  );
  const relative = await runInHost(["keys", "list"], { DATABASE_URL: "sqlite:no-such/store.db" });
  assert.ok(
    relative.stderr.includes(`no store at no-such/store.db. Relative paths start at ${process.cwd()}. Check`),
  );
  const create = ["keys", "create", "--name", "x", "--plan", "free", "--json"];
  const none = await runInHost(create, environment);
  assert.deepEqual([none.code, /There is no store at/.test(none.stderr)], [1, true]);
  assert.deepEqual(readdirSync(folder), []);
  const made = await runInHost([...create, "--create-store"], { ...environment, ENVIRONMENT: "staging" });
  assert.equal(made.code, 0, made.stderr);
  const other = await runInHost(create, environment);
  assert.equal(other.code, 1);
  assert.match(other.stderr, /not for ENVIRONMENT=production\. Set ENVIRONMENT as for the service/);
});

test("migrate creates a store, or applies the missing migrations once", async (t) => {
  const folder = makeFolder(t);
  const environment = { DATABASE_URL: `sqlite:${join(folder, "store.db")}` };
  assert.equal((await runInHost(["migrate"], environment)).stdout, `Created, schema ${SCHEMA_VERSION}.\n`);
  const older = join(folder, "older.db");
  const db = openSqlite(older);
  await migrate(db, 0, SCHEMA_VERSION - 2);
  await db.close();
  const migrated = await runInHost(["migrate"], { DATABASE_URL: `sqlite:${older}` });
  assert.equal(migrated.stdout, `Applied: ${listMissingMigrations(SCHEMA_VERSION - 2).join(", ")}.\n`);
  assert.match((await runInHost(["migrate"], environment)).stdout, /^The schema is up to date\.\n$/);
  assert.deepEqual(JSON.parse((await runInHost(["migrate", "--json"], environment)).stdout), {
    applied: [],
  });
});

test("openapi prints the document without touching the store", async (t) => {
  const folder = makeFolder(t);
  const environment = {
    DATABASE_URL: `sqlite:${folder}/store.db`,
    PUBLIC_URL: "https://animals.example.org",
  };
  const json = await runInHost(["openapi"], environment);
  assert.equal(JSON.parse(json.stdout).servers[0].url, "https://animals.example.org/v1");
  const yaml = await runInHost(["openapi", "--format", "yaml"], environment);
  assert.match(yaml.stdout, /^openapi: 3\.1\.0$/m);
  assert.equal(existsSync(`${folder}/store.db`), false);
  assert.equal((await runInHost(["openapi", "--format", "xml"], environment)).code, 2);
});
