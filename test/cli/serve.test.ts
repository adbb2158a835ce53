// The start of `serve`: settings, the first key, a store that cannot be served, the log.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { symlinkSync } from "node:fs";
import { createServer } from "node:net";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import SqliteConnection from "better-sqlite3";
import { inspect, migrateStorage, openForCommand, withStores } from "../../src/command-stores.ts";
import { readConfig } from "../../src/config/config.ts";
import { SCHEMA_VERSION } from "../../src/storage/migrations/migrate.ts";
import { ACTOR } from "../harness/clients/audit.ts";
import { type Environment, NO_ENV_FILE } from "../harness/clients/commands.ts";
import { makeFolder } from "../harness/runner/folder.ts";
import { runCommand, startService } from "../harness/servers/service.ts";
import { makeClosedStore } from "./stores.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const OWN_KEY = "a-key-of-my-own-choice";

const INVALID = {
  PORT: "http",
  DATABASE_URL: "mysql://x",
  DATABASE_POOL_SIZE: "0",
  REDIS_URL: "memcached://x",
  REDIS_TIMEOUT_MS: "soon",
  PUBLIC_URL: "animals",
  STAGING_URL: "https://animals.example.org/v1",
  CONTACT_URL: "help@animals.example.org",
  ENVIRONMENT: "test",
  ADMIN_API_KEY: "short",
  METRICS_TOKEN: "short",
  TRUST_PROXY: "10.0.0.0/33",
  MAX_CONNECTIONS: "0",
  MAX_CONNECTIONS_PER_ADDRESS: "many",
  CORS_ORIGINS: "https://a.example/path",
  GET_PET_DEPRECATED_AT: "soon",
  ORDER_HOLD_HOURS: "0",
  DRAIN_SECONDS: "long",
  LOG_LEVEL: "loud",
};

async function revokeKey(environment: Environment, id: bigint): Promise<void> {
  await withStores(readConfig(environment), ({ stores }) => stores.keyRing.revoke(id, ACTOR));
}

test("serve names every fault of the configuration in one message", async () => {
  const result = await runCommand(["serve"], INVALID);
  assert.equal(result.code, 1);
  const [head = "", ...faults] = result.stderr.trimEnd().split("\n");
  assert.match(head, /^animal-store: The configuration is not valid\. Correct .* run: .* settings --help$/);
  const named = faults.map((fault) => fault.trim().split(" ")[0]);
  assert.deepEqual(named, Object.keys(INVALID));
  assert.ok(faults.every((fault) => / must be /.test(fault)));
});

test("the log of a first start has one line about the new store, with its schema", async (t) => {
  const environment = { DATABASE_URL: `sqlite:${makeFolder(t)}/store.db`, LOG_LEVEL: "info" };
  const service = await startService(t, environment);
  await service.stop();
  const [first, ...others] = service.output.stderr.split("\n");
  assert.equal(JSON.parse(first ?? "").msg, `store created, schema ${SCHEMA_VERSION}`);
  assert.doesNotMatch(others.join(), /migrated|created/);
});

test("serve prints an admin key once on a new store, and again after the last one was revoked", async (t) => {
  const first = await startService(t);
  const { environment, output } = first;
  const [, key = "", url = ""] =
    /^ {2}curl -H "Authorization: Bearer (\S+)" (\S+)$/m.exec(output.stdout) ?? [];
  assert.match(output.stdout, /\nThis store is new\. Its first key, with access "admin", is shown only once/);
  assert.equal(output.stdout.split(key).length, 3, "on a line of its own, and in the curl line");
  assert.equal((await fetch(url, { headers: { authorization: `Bearer ${key}` } })).status, 200);
  assert.equal((await first.call("GET", "/usage")).json.plan, "enterprise");
  await first.call("POST", "/keys", { body: { name: "x", plan: "free" } });
  await first.stop();

  await revokeKey(environment, 1n);
  const second = await startService(t, environment);
  assert.match(
    second.output.stdout,
    /\nNo admin key of this store is active\. A new key, with access "admin", is/,
  );
  assert.notEqual(second.adminKey, key);
  assert.equal((await second.call("GET", "/keys")).status, 200);
  await second.stop();

  const third = await startService(t, environment);
  assert.doesNotMatch(third.output.stdout, /ask_live_/);
});

test("serve creates no key if ADMIN_API_KEY is set, and locks the store against a second process", async (t) => {
  const service = await startService(t, { ADMIN_API_KEY: OWN_KEY });
  assert.doesNotMatch(service.output.stdout, /ask_live_|a-key-of-my-own/);
  assert.equal((await service.call("GET", "/keys")).text, "[]");

  const second = await runCommand(["serve"], service.environment);
  assert.equal(second.code, 1);
  assert.match(
    second.stderr,
    /^animal-store: Another process already serves \S+store\.db\. Stop it first, or .*\n$/,
  );
  const link = `${service.environment.DATABASE_URL}.link`;
  symlinkSync("store.db", link.replace("sqlite:", ""));
  const linked = { ...service.environment, DATABASE_URL: link };
  assert.match((await runCommand(["serve"], linked)).stderr, /Another process already serves \S+store\.db/);
  assert.equal((await service.call("GET", "/pets")).status, 200);
});

test("serve says what to do about a port that is in use", async (t) => {
  const taken = createServer().listen(0, "127.0.0.1");
  t.after(() => taken.close());
  await once(taken, "listening");
  const { port } = taken.address() as { port: number };
  const DATABASE_URL = `sqlite:${makeFolder(t)}/a.db`;
  const result = await runCommand(["serve"], { PORT: String(port), DATABASE_URL });
  assert.equal(result.code, 1);
  assert.match(result.stderr, /EADDRINUSE.*set PORT to another/);
});

test("serve and commands reject a newer schema", async (t) => {
  const { path, environment } = await makeClosedStore(t);
  const config = readConfig(environment);
  const db = new SqliteConnection(path);
  db.exec("INSERT INTO schema_migrations VALUES (99, 'future', 0)");
  db.close();
  const message = `The database has schema 99; this release knows up to ${SCHEMA_VERSION}. Run`;
  const serve = await runCommand(["serve"], environment);
  assert.equal(serve.code, 1);
  assert.ok(serve.stderr.startsWith(`animal-store: ${message}`), serve.stderr);
  const isRejected = (error: Error) => error.message.startsWith(message);
  await assert.rejects(openForCommand(config), isRejected);
  await assert.rejects(migrateStorage(config), isRejected);
});

test("serve stops with npm when npm alone gets the signal", async (t) => {
  const environment = { ...NO_ENV_FILE, DATABASE_URL: `sqlite:${makeFolder(t)}/store.db`, PORT: "0" };
  const npm = spawn("npm", ["start"], { cwd: ROOT, env: { ...process.env, ...environment }, stdio: "pipe" });
  t.after(() => npm.kill("SIGKILL"));
  let output = "";
  npm.stdout.setEncoding("utf8").on("data", (text) => {
    output += text;
  });
  while (!/listens on (\S+)/.test(output)) await once(npm.stdout, "data");
  const [, url = ""] = /listens on (\S+)/.exec(output) ?? [];
  assert.equal((await inspect(readConfig(environment), { deep: false })).isServed, true);
  npm.kill("SIGTERM");
  // The pipe closes when the last process that holds it has ended.
  await once(npm.stdout, "close");
  await assert.rejects(fetch(`${url}/healthz`));
  assert.equal((await inspect(readConfig(environment), { deep: false })).isServed, false);
});

test("the log has nothing below its level", async (t) => {
  const service = await startService(t, { LOG_LEVEL: "warn" });
  assert.equal((await service.call("GET", "/pets")).status, 200);
  await service.stop();
  assert.equal(service.output.stderr, "");
});

test("the log has one JSON line per response, and no secret and no header at any level", async (t) => {
  const service = await startService(t, { LOG_LEVEL: "trace" });
  const headers = { "user-agent": "agent-in-a-header", "idempotency-key": "idempotency-in-a-header" };
  await service.call("GET", "/pets", { headers });
  await service.call("GET", "/pets", { key: "wrong-key-wrong-key" });
  const created = await service.call("POST", "/keys", { body: { name: "by API", plan: "free" }, headers });
  const rotated = await service.call("POST", `/keys/${created.json.id}/rotate`, { body: {} });
  const create = ["keys", "create", "--name", "by command", "--plan", "free", "--json"];
  const command = await runCommand(create, { ...service.environment, LOG_LEVEL: "trace" });
  await service.stop();

  const log = service.output.stderr + command.stderr;
  const secrets = [service.adminKey, created.json.key, rotated.json.key, JSON.parse(command.stdout).key];
  for (const secret of secrets) {
    assert.match(secret, /^ask_live_\w{36}$/);
    // Without prefix and hint, so that a part of a secret is found as well.
    assert.equal(log.includes(secret.slice(-24)), false, "a secret is in the log");
  }
  assert.doesNotMatch(log, /ask_live_|wrong-key|authorization|in-a-header/i);

  const lines = service.output.stderr.trimEnd().split("\n");
  const answered = lines.map((line) => JSON.parse(line)).filter(({ msg }) => msg === "answered");
  assert.deepEqual(
    answered.map(({ operation, status, keyId }) => [operation, status, keyId]),
    [
      ["listPets", 200, "1"],
      ["listPets", 401, undefined],
      ["createKey", 201, "1"],
      ["rotateKey", 200, "1"],
    ],
  );
  assert.deepEqual(
    Object.keys(answered[0]).filter((name) => /path|name/i.test(name)),
    [],
  );
  assert.equal(typeof answered[0].reqId, "string");
  assert.equal(typeof answered[0].ms, "number");
});
