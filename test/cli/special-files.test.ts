// Commands with a path that is a named pipe, a socket, a folder or a device: refused at once, nothing is changed.

import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { type Environment, environmentOf } from "../harness/clients/commands.ts";
import { collect, mainCommand } from "../harness/servers/service.ts";
import { makeStore } from "./stores.ts";

/** Kills a command that waits for the other end of a pipe, which then has no exit code. */
const LIMIT_MS = 60_000;

async function makeScene(t: TestContext) {
  const store = await makeStore(t);
  const { folder } = store;
  const pipe = join(folder, "pipe.db");
  execFileSync("mkfifo", [pipe]);
  const socket = join(folder, "socket.db");
  const server = createServer().listen(socket);
  await once(server, "listening");
  t.after(() => server.close());
  const backup = join(folder, "backup.db");
  await store.readOutput("backup", backup);
  return { ...store, pipe, socket, backup };
}

/** In a process of its own: one that waits for a pipe can only be killed. */
async function run(args: string[], environment: Environment) {
  const [program = "", ...words] = mainCommand(args);
  const options = { env: environmentOf(environment), timeout: LIMIT_MS, killSignal: "SIGKILL" } as const;
  const child = spawn(program, words, { ...options, stdio: ["ignore", "pipe", "pipe"] });
  const output = collect(child);
  const [code] = await once(child, "close");
  return { code, ...output };
}

test("commands refuse a path that is not a regular file at once, and change nothing", async (t) => {
  const { environment, folder, pipe, socket, backup } = await makeScene(t);
  const onPipe = { DATABASE_URL: `sqlite:${pipe}` };
  const before = readdirSync(folder).toSorted();
  const noBackup = "is not a regular file. Give the path of a backup.";
  const noStore = "is not a regular file. Set DATABASE_URL to another file.";
  const noTarget = "exists and is not a file. Choose another name.";
  const noInput =
    "is not a regular file. Give the path of a file, or send the rows to standard input with - as FILE.";
  const cases: Array<[string, string[], Environment, string]> = [
    ["restore of a pipe", ["restore", pipe], environment, `${pipe} ${noBackup}`],
    ["restore of a socket", ["restore", socket], environment, `${socket} ${noBackup}`],
    ["restore of a device", ["restore", "/dev/zero"], environment, `/dev/zero ${noBackup}`],
    ["restore to a pipe", ["restore", backup, "--force"], onPipe, `${pipe} ${noStore}`],
    ["backup of a pipe", ["backup", join(folder, "new.db")], onPipe, `${pipe} ${noStore}`],
    ["backup to a pipe", ["backup", pipe, "--force"], environment, `${pipe} ${noTarget}`],
    ["export to a pipe", ["export", pipe, "--format", "csv", "--force"], environment, `${pipe} ${noTarget}`],
    ["import of a pipe", ["import", pipe, "--format", "csv"], environment, `${pipe} ${noInput}`],
    ["import of a folder", ["import", folder, "--format", "csv"], environment, `${folder} ${noInput}`],
  ];
  for (const [name, args, settings, says] of cases) {
    await t.test(name, async () => {
      const { code, stdout, stderr } = await run(args, settings);
      assert.deepEqual([code, stdout, stderr], [1, "", `animal-store: ${says}\n`]);
    });
  }
  assert.deepEqual(readdirSync(folder).toSorted(), before);
});
