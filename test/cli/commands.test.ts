// The command line as a whole, and the short commands: help, migrate, openapi, keys on a missing store.

import assert from "node:assert/strict";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { COMMANDS } from "../../src/cli/commands.ts";
import { runInHost } from "../harness/commands.ts";
import { makeFolder } from "../harness/folder.ts";
import { runCommand } from "../harness/service.ts";

test("--help lists every command with a summary", async () => {
  const help = await runCommand(["--help"]);
  assert.equal(help.code, 0);
  const names = ["serve", "keys", "webhooks", "events", "audit", "import", "export", "sample"];
  const all = [...names, "backup", "restore", "migrate", "copy", "openapi", "settings", "doctor"];
  assert.deepEqual(
    COMMANDS.map(({ name }) => name),
    all,
  );
  for (const name of all) assert.match(help.stdout, new RegExp(`^  ${name} +\\w`, "m"));
  for (const word of [".env", "HOST", "PORT", "DATABASE_URL", "PUBLIC_URL", '"settings"'])
    assert.ok(help.stdout.includes(word), `the help mentions ${word}`);
  assert.match(help.stdout, /^Documentation: \S*docs\/operating\.md\nFiles for systemd, .*: \S*deploy$/m);
  assert.match(help.stdout, /^ {2}serve +Run the service \(npm start does this\)\.$/m);
});

const HELPS = new Map<string, string>();
for (const { name, load } of COMMANDS) HELPS.set(name, (await load()).help);

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
    [2, 'animal-store: There is no command "fly". --help lists them.\n'],
  );
  assert.equal((await runCommand([])).code, 2);
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

test("migrate applies the missing migrations once", async (t) => {
  const environment = { DATABASE_URL: `sqlite:${join(makeFolder(t), "store.db")}` };
  assert.match(
    (await runInHost(["migrate"], environment)).stdout,
    /^Applied: animals and keys, adoptions, imports, deprecated use, versions, events, audit, webhooks, listings, search, photos, usage, waiting texts, search index\.\n$/,
  );
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
