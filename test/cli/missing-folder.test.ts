// Commands on a store whose folder does not exist and cannot be created.

import assert from "node:assert/strict";
import { execSync, spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { chmodSync, mkdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { commandsIn, environmentOf, runInHost } from "../harness/clients/commands.ts";
import { makeFolder } from "../harness/runner/folder.ts";
import { mainCommand, runCommand } from "../harness/servers/service.ts";
import { isRoot, makeServiceFolder, serviceUser } from "../harness/servers/service-folder.ts";
import { makeStore } from "./stores.ts";

/** Ends a command that hangs, which then has no exit code. */
const LIMIT_MS = 60_000;

test("commands that create a store end where the system creates no folder", async (t) => {
  const { folder, command } = await makeStore(t);
  const backup = join(folder, "backup.db");
  assert.equal((await command("backup", backup)).code, 0);
  for (const args of [["migrate"], ["serve"], ["restore", backup]]) {
    await t.test(args[0], () => {
      const [program = "", ...words] = mainCommand(args);
      const { status, stderr } = spawnSync(program, words, {
        env: environmentOf({ DATABASE_URL: "sqlite:/proc/x/store.db", PORT: "0" }),
        encoding: "utf8",
        timeout: LIMIT_MS,
        killSignal: "SIGKILL",
      });
      assert.equal(status, 1);
      assert.match(
        stderr,
        /the folder \/proc\/x cannot be created: ENOENT: no such file or directory\. Set DATABASE_URL/,
      );
    });
  }
});

test("a folder that this user may not create is named, with a command that creates this folder only", async (t) => {
  const { outside, user } = makeServiceFolder(t);
  // A folder of root: without root, the only one that is certain to be there.
  const folder = join(isRoot ? outside : "/", `new-${randomUUID()}`);
  const migrate = () =>
    runCommand(["migrate"], { DATABASE_URL: `sqlite:${folder}/a/store.db` }, "", serviceUser);
  const { code, stderr } = await migrate();
  assert.equal(code, 1);
  const advice = `Run as root: install -d -m 700 -o ${user.uid} -g ${user.gid} ${folder}/a`;
  assert.ok(
    stderr.includes(`the folder ${folder}/a cannot be created: EACCES: permission denied. ${advice} – or `),
    stderr,
  );
  if (!isRoot) return;
  execSync(advice.slice("Run as root: ".length));
  assert.deepEqual(await migrate().then((done) => [done.code, done.stderr]), [0, ""]);
  assert.equal(statSync(outside).uid, 0);
});

test("a user's own folder that is read-only is named, with a command that is sufficient", async (t) => {
  const { home, user } = makeServiceFolder(t);
  chmodSync(home, 0o555);
  const migrate = () =>
    runCommand(["migrate"], { DATABASE_URL: `sqlite:${home}/new/a/store.db` }, "", serviceUser);
  const { code, stderr } = await migrate();
  const owner = `it belongs to uid ${user.uid}, mode 0555`;
  assert.deepEqual(
    [code, stderr],
    [1, `animal-store: uid ${user.uid} cannot write the folder ${home}: ${owner}. Run: chmod u+rw ${home}\n`],
  );
  execSync(stderr.slice(stderr.indexOf("chmod")));
  assert.deepEqual(await migrate().then((done) => [done.code, done.stderr]), [0, ""]);
});

test("migrate and serve name a file in the path of the store", async (t) => {
  const folder = makeFolder(t);
  writeFileSync(join(folder, "file"), "");
  const environment = { DATABASE_URL: `sqlite:${join(folder, "file", "a", "store.db")}`, PORT: "0" };
  const says =
    /^animal-store: \S+store\.db cannot be created: \S+\/file is not a folder\. Set DATABASE_URL to /;
  for (const result of [
    await runInHost(["migrate"], environment),
    await runCommand(["serve"], environment),
  ]) {
    assert.equal(result.code, 1);
    assert.match(result.stderr, says);
  }
});

test("a folder instead of a database is named, with a file in it to use", async (t) => {
  const folder = makeFolder(t);
  const { assertRefused } = commandsIn({ DATABASE_URL: `sqlite:${folder}` });
  const advice = `Set DATABASE_URL to a file in it: DATABASE_URL=sqlite:${join(folder, "animal-store.db")}`;
  await assertRefused(["migrate"], `${folder} is a folder, not a database. ${advice}`);
});

test("several missing folders are created, private", async (t) => {
  const folder = makeFolder(t);
  mkdirSync(join(folder, "a"), { mode: 0o755 });
  const path = join(folder, "a", "b", "c", "store.db");
  const { code, stderr } = await runInHost(["migrate"], { DATABASE_URL: `sqlite:${path}` });
  assert.equal(code, 0, stderr);
  for (const each of ["a/b", "a/b/c"]) assert.equal(statSync(join(folder, each)).mode & 0o777, 0o700);
});
