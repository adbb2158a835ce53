// Owners and modes of a store's files: root leaves no file that the service cannot use, and a fault names its remedy.

import assert from "node:assert/strict";
import { execSync, spawnSync } from "node:child_process";
import { chmodSync, chownSync, mkdirSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import SqliteConnection from "better-sqlite3";
import { explainSqliteFault } from "../../../src/storage/sqlite/faults.ts";
import { COMMAND } from "../../../src/tools/program.ts";
import { createCall } from "../../harness/clients/call.ts";
import { type Environment, NO_ENV_FILE, runInHost } from "../../harness/clients/commands.ts";
import { mainCommand, runCommand, startService } from "../../harness/servers/service.ts";
import {
  isRoot,
  makeServiceFolder,
  type ServiceFolder,
  serviceUser,
} from "../../harness/servers/service-folder.ts";

const CREATE_KEY = ["keys", "create", "--name", "x", "--plan", "free"];

interface Scene extends ServiceFolder {
  path: string;
  environment: Environment;
}

function makeScene(t: TestContext): Scene {
  const place = makeServiceFolder(t);
  const path = join(place.home, "data", "store.db");
  return { ...place, path, environment: { DATABASE_URL: `sqlite:${path}`, PORT: "0" } };
}

function runAsService(args: string[], environment: Environment) {
  return runCommand(args, environment, "", serviceUser);
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

test("root's commands in the folder of another user change nothing and name that user", async (t) => {
  if (!isRoot) return t.diagnostic("not run as root: there is no other user");
  const { home, outside, environment, user } = makeScene(t);
  const made = await runAsService([...CREATE_KEY, "--create-store"], environment);
  assert.equal(made.code, 0, made.stderr);
  const backup = join(outside, "backup.db");
  assert.equal((await runAsService(["backup", join(home, "data", "monday.db")], environment)).code, 0);
  const before = listFiles(home);
  const advice = `Run this command as that user: setpriv --reuid=${user.uid} --regid=${user.gid} --clear-groups ${COMMAND} …`;
  for (const args of [
    CREATE_KEY,
    ["keys", "list"],
    ["sample", "5"],
    ["migrate"],
    ["serve"],
    ["export", "-"],
    ["backup", backup],
    ["restore", join(home, "data", "monday.db"), "--force"],
    ["doctor"],
  ]) {
    const { code, stdout, stderr } = await runInHost(args, environment);
    assert.equal(code, 1, args.join(" "));
    const said = `${stdout}${stderr}`.replaceAll(/\s+/g, " ");
    assert.ok(said.includes(`${home}/data belongs to uid ${user.uid}, who could not use files`), said);
    assert.ok(said.includes(advice), said);
    assert.deepEqual(listFiles(home), before, args.join(" "));
    assert.deepEqual(readdirSync(outside), []);
  }
});

test("root's backups and exports to the folder of another user change nothing", async (t) => {
  if (!isRoot) return t.diagnostic("not run as root: there is no other user");
  const { home, outside } = makeServiceFolder(t);
  const environment = { DATABASE_URL: `sqlite:${outside}/store.db` };
  assert.equal((await runInHost(["migrate"], environment)).code, 0);
  for (const args of [
    ["backup", join(home, "x.db")],
    ["backup", `${home}/new/`],
    ["export", join(home, "x.csv")],
  ]) {
    const { code, stderr } = await runInHost(args, environment);
    assert.deepEqual([code, readdirSync(home)], [1, []], args.join(" "));
    assert.match(stderr, /home belongs to uid \d+, who .* Run this command as that user: setpriv /);
  }
});

test("the files of a service and of its user's commands belong to that user and are private", async (t) => {
  const scene = makeScene(t);
  const { home, environment } = scene;
  for (const args of [
    [...CREATE_KEY, "--create-store"],
    ["export", join(home, "data", "animals.csv")],
    ["backup", join(home, "data", "monday.db")],
    ["restore", join(home, "data", "monday.db"), "--force"],
  ]) {
    const result = await runAsService(args, environment);
    assert.equal(result.code, 0, `${args.join(" ")}: ${result.stderr}`);
    assertOwned(scene);
  }
  const service = await startService(t, environment, serviceUser);
  assertOwned(scene);
  await service.stop();
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
    await (await startService(t, environment, serviceUser)).stop();
    takeAway(`${path}${end}`, mode);
    const refusal = await readRefusal(t, environment);
    const owner = isRoot ? "root" : `uid ${user.uid}`;
    const problem = `uid ${user.uid} cannot write ${path}${end}: it belongs to ${owner}, mode 0`;
    assert.ok(refusal.includes(`: animal-store: ${problem}`), refusal);
    const command = `${isRoot ? `chown ${user.uid}:${user.gid}` : "chmod u+rw"} ${path}${end}`;
    assert.ok(refusal.includes(command), refusal);

    const doctor = await runAsService(["doctor"], environment);
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
    const explained = explainSqliteFault(join(home, "store.db"), error);
    assert.equal(explained?.advice, "Make room on its disk.", String(explained));
  }
});

test("doctor warns of a store that other users may read, and names the command that fixes it", async (t) => {
  const { path, environment } = makeScene(t);
  assert.equal((await runAsService(["migrate"], environment)).code, 0);
  const look = async () => {
    const { code, stdout } = await runAsService(["doctor"], environment);
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
