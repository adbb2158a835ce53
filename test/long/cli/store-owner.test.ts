// Owners and modes of a store's files: the service can write what root's commands create, or says why it cannot.

import assert from "node:assert/strict";
import { execSync, spawnSync } from "node:child_process";
import { chmodSync, chownSync, mkdirSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import SqliteConnection from "better-sqlite3";
import { asOwnerOf } from "../../../src/files/folder-owner.ts";
import { migrate } from "../../../src/storage/migrations/migrate.ts";
import { openSqlite } from "../../../src/storage/sqlite/engine.ts";
import { explainSqliteFault } from "../../../src/storage/sqlite/faults.ts";
import { createCall } from "../../harness/clients/call.ts";
import { type Environment, NO_ENV_FILE, runInHost } from "../../harness/clients/commands.ts";
import { copyProject } from "../../harness/servers/project.ts";
import { mainCommand, startService } from "../../harness/servers/service.ts";
import {
  isRoot,
  makeServiceFolder,
  type ServiceFolder,
  serviceUser,
} from "../../harness/servers/service-folder.ts";

const KEY = ["--name", "x", "--plan", "free", "--json"];

interface Scene extends ServiceFolder {
  path: string;
  environment: { DATABASE_URL: string };
}

function makeScene(t: TestContext): Scene {
  const place = makeServiceFolder(t);
  const path = join(place.home, "data", "store.db");
  return { ...place, path, environment: { DATABASE_URL: `sqlite:${path}` } };
}

/** Owner and mode of everything below the folder. */
function listFiles(folder: string): Array<{ name: string; uid: number; gid: number; mode: string }> {
  return readdirSync(folder, { recursive: true, encoding: "utf8" }).map((name) => {
    const { uid, gid, mode } = statSync(join(folder, name));
    return { name, uid, gid, mode: (mode & 0o777).toString(8) };
  });
}

function assertOwned({ home, user }: Scene): void {
  for (const file of listFiles(home)) {
    const mode = file.name === "data" ? "700" : "600";
    assert.deepEqual(file, { name: file.name, ...user, mode });
  }
}

test("files of root's commands belong to the owner of the folder, and are private", async (t) => {
  const scene = makeScene(t);
  const { home, environment, path } = scene;
  const run = async (...args: string[]) => {
    const result = await runInHost(args, environment);
    assert.equal(result.code, 0, `${args.join(" ")}: ${result.stderr}`);
    assertOwned(scene);
  };
  await run("keys", "create", ...KEY, "--create-store");
  await run("sample", "5");
  await run("export", join(home, "data", "animals.csv"));
  await run("backup", join(home, "data", "monday.db"));
  // As an older release made it.
  chmodSync(path, 0o644);
  await runInHost(["restore", join(home, "data", "monday.db"), "--force"], environment);
  await run("migrate");
  await run("keys", "list");
  await run("doctor");
  const names = readdirSync(join(home, "data")).sort();
  const made = ["animals.csv", "monday.db", "store.db", "store.db-serving", "store.db.before-restore"];
  assert.deepEqual(names, made);

  const service = await startService(t, environment, serviceUser);
  assertOwned(scene);
  const created = await service.call("POST", "/pets", { body: { name: "Rex", categoryId: 1 } });
  assert.equal(created.status, 201, created.text);
  const beside = await runInHost(["keys", "create", ...KEY], environment);
  assert.equal(beside.code, 0, beside.stderr);
  assertOwned(scene);
});

test("a service that root starts gives its files to the owner of the folder", async (t) => {
  const scene = makeScene(t);
  const service = await startService(t, scene.environment);
  const created = await service.call("POST", "/pets", { body: { name: "Rex", categoryId: 1 } });
  assert.equal(created.status, 201, created.text);
  assert.equal(readdirSync(join(scene.home, "data")).length, 4, "with log and lock");
  assertOwned(scene);
  await service.stop();
  assertOwned(scene);
});

test("a backup in a folder of root belongs to root, and can be restored", async (t) => {
  const scene = makeScene(t);
  const { outside, environment } = scene;
  chmodSync(outside, 0o700);
  assert.equal((await runInHost(["migrate"], environment)).code, 0);
  const file = join(outside, "monday.db");
  const made = await runInHost(["backup", file], environment);
  assert.equal(made.code, 0, made.stderr);
  const { uid, mode } = statSync(file);
  assert.deepEqual([uid, mode & 0o777], [process.getuid?.(), 0o600]);
  const restored = await runInHost(["restore", file, "--force"], environment);
  assert.equal(restored.code, 0, restored.stderr);
  assertOwned(scene);
});

/** Makes a file as root's tools leave it; without root, a file without write permission. */
function takeAway(path: string, mode: number): void {
  if (isRoot) {
    chownSync(path, 0, 0);
    chmodSync(path, mode);
  } else chmodSync(path, mode & 0o444);
}

/** The error message of a service started as its user. */
async function readRefusal(t: TestContext, environment: Environment): Promise<string> {
  const started = startService(t, environment, serviceUser);
  return started.then(
    () => "it listens",
    (error: Error) => error.message,
  );
}

const TAKEN: Record<string, { end: string; mode: number }> = {
  "a read-only store": { end: "", mode: 0o644 },
  "a store that it may not read": { end: "", mode: 0o600 },
  "a lock that it may not take": { end: "-serving", mode: 0o644 },
};

for (const [what, { end, mode }] of Object.entries(TAKEN)) {
  test(`${what} prevents the start, with the reason and the command that fixes it`, async (t) => {
    const { path, environment, user } = makeScene(t);
    const db = openSqlite(path, { serving: true });
    await migrate(db, 0);
    await db.close();
    takeAway(`${path}${end}`, mode);
    const refusal = await readRefusal(t, environment);
    const owner = isRoot ? "root" : `uid ${user.uid}`;
    const problem = `uid ${user.uid} cannot write ${path}${end}: it belongs to ${owner}, mode 0`;
    assert.ok(refusal.includes(`: animal-store: ${problem}`), refusal);
    const command = `${isRoot ? `chown ${user.uid}:${user.gid}` : "chmod u+rw"} ${path}${end}`;
    assert.ok(refusal.includes(command), refusal);

    // Root's doctor examines it as the owner of the folder.
    const doctor = await runInHost(["doctor"], { ...environment, PORT: "0" });
    assert.equal(doctor.code, 1, doctor.stdout);
    assert.ok(doctor.stdout.replaceAll(/\s+/g, " ").includes(problem), doctor.stdout);
    assert.ok(doctor.stdout.includes(command), doctor.stdout);

    // The command that it names is sufficient.
    execSync(refusal.slice(refusal.indexOf(command)));
    const service = await startService(t, environment, serviceUser);
    assert.equal((await createCall(service.url)("GET", "/readyz")).json.status, "ready");
  });
}

test("a folder that its user cannot write prevents the start", async (t) => {
  const { outside, user } = makeServiceFolder(t);
  const folder = join(outside, "..", "closed");
  mkdirSync(folder, { mode: isRoot ? 0o755 : 0o555 });
  const refusal = await readRefusal(t, { DATABASE_URL: `sqlite:${folder}/store.db` });
  assert.ok(refusal.includes(`uid ${user.uid} cannot write the folder ${folder}: it belongs to`), refusal);
  assert.match(refusal, isRoot ? /Run as root: chown \d+:\d+ \S+closed\n$/ : /chmod u\+rw \S+closed\n$/);
});

test("files in a folder that only a systemd namespace can reach belong to its owner, too", async (t) => {
  const { home, user } = makeScene(t);
  if (!isRoot)
    t.diagnostic("not run as root: no command acts for another user; owner and mode are checked as they are");
  chmodSync(join(home, ".."), 0o700);
  const environment = { DATABASE_URL: `sqlite:${home}/store.db` };
  for (const args of [
    ["migrate"],
    ["export", join(home, "animals.csv")],
    ["backup", join(home, "monday.db")],
    ["restore", join(home, "monday.db"), "--force"],
  ]) {
    const result = await runInHost(args, environment);
    assert.equal(result.code, 0, `${args[0]}: ${result.stderr}`);
    for (const file of listFiles(home)) assert.deepEqual(file, { name: file.name, ...user, mode: "600" });
  }
  assert.equal(listFiles(home).length, 5);

  await t.test("but not if another user could replace a folder on the path", async () => {
    if (!isRoot) return t.diagnostic("not run as root: there is no other user");
    const inner = join(home, "closed", "inner");
    mkdirSync(inner, { recursive: true, mode: 0o700 });
    chownSync(inner, 12_345, 12_345);
    const result = await runInHost(["migrate"], { DATABASE_URL: `sqlite:${inner}/store.db` });
    assert.equal(result.code, 1);
    assert.match(result.stderr, /uid 12345 owns \S+inner but cannot reach it: .* chmod o\+x on the folders/);
    assert.deepEqual(readdirSync(inner), []);
  });
});

test("root's commands work where the owner of the folder cannot read the program", async (t) => {
  const scene = makeScene(t);
  const project = copyProject(t, ["better-sqlite3"]);
  chmodSync(project, 0o700);
  const backup = join(scene.home, "data", "monday.db");
  for (const args of [
    ["migrate"],
    ["keys", "create", ...KEY],
    ["keys", "list"],
    ["doctor"],
    ["backup", backup],
    ["restore", backup, "--force"],
  ]) {
    const [program = "", ...words] = mainCommand(args, project);
    const result = spawnSync(program, words, {
      env: { ...NO_ENV_FILE, ...scene.environment, PORT: "0" },
      encoding: "utf8",
    });
    assert.equal(result.status, 0, `${args.join(" ")}: ${result.stdout}${result.stderr}`);
    assertOwned(scene);
  }
});

test("doctor asks the system for rights that owner and mode do not show, such as an ACL", async (t) => {
  if (!isRoot) return t.diagnostic("not run as root: it cannot grant such rights");
  const { outside } = makeServiceFolder(t);
  const environment = { ...NO_ENV_FILE, DATABASE_URL: `sqlite:${outside}/store.db` };
  assert.equal((await runInHost(["migrate"], environment)).code, 0);
  const asOtherUser = ["--reuid=65534", "--regid=65534", "--clear-groups"];
  // A capability stands for the ACL, which needs tools and file systems that are not everywhere; the bit lets access(2) count it.
  const capability = ["--inh-caps=+dac_override", "--ambient-caps=+dac_override"];
  const withRights = [...capability, "--securebits=+no_setuid_fixup"];
  const [program = "", ...words] = ["setpriv", ...asOtherUser, ...withRights, ...mainCommand(["doctor"])];
  const result = spawnSync(program, words, {
    env: { ...process.env, ...environment, PORT: "0" },
    encoding: "utf8",
  });
  assert.equal(result.status, 0, result.stdout + result.stderr);
});

test("a full disk is reported as such, whatever the rights on the folder", (t) => {
  const { home } = makeServiceFolder(t);
  chmodSync(home, 0o500);
  const ofSystem = Object.assign(new Error("ENOSPC: no space left on device"), { syscall: "write" });
  for (const error of [
    new SqliteConnection.SqliteError("database or disk is full", "SQLITE_FULL"),
    Object.assign(ofSystem, { code: "ENOSPC" }),
  ]) {
    const explained = asOwnerOf(join(home, "store.db"), (path) => explainSqliteFault(path, error));
    assert.equal(explained?.advice, "Make room on its disk.", String(explained));
  }
});

test("doctor warns of a store that other users may read, and names the command that fixes it", async (t) => {
  const { path, environment } = makeScene(t);
  assert.equal((await runInHost(["migrate"], environment)).code, 0);
  const look = async () => {
    const { code, stdout } = await runInHost(["doctor"], { ...environment, PORT: "0" });
    assert.equal(code, 0, stdout);
    return stdout;
  };
  assert.doesNotMatch(await look(), /privacy/);
  chmodSync(path, 0o644);
  const warned = await look();
  assert.ok(warned.replaceAll(/\s+/g, " ").includes(`other users may use ${path}, mode 0644`), warned);
  const [, command = ""] = /privacy: Run: (chmod .*)/.exec(warned) ?? [];
  execSync(command);
  assert.equal(statSync(path).mode & 0o777, 0o600);
  assert.doesNotMatch(await look(), /privacy/);
});
