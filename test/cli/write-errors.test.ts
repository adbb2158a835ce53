// Commands that cannot write their file name it, change nothing, and say what to do.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmodSync, chownSync, existsSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { environmentOf } from "../harness/clients/commands.ts";
import { mainCommand, runCommand } from "../harness/servers/service.ts";
import { isRoot, makeServiceFolder, serviceUser } from "../harness/servers/service-folder.ts";
import { copySqliteStore } from "../harness/servers/stores.ts";
import { fillStore, makeStore } from "./stores.ts";

test("export and restore on a full disk name the file and leave none", async (t) => {
  const { folder, environment, db, readOutput } = await makeStore(t);
  await fillStore(db, 3_000);
  const backup = join(folder, "backup.db");
  await readOutput("backup", backup);
  const before = readdirSync(folder);
  const restored = join(folder, "restored.db");
  for (const [args, file, url] of [
    [["export", join(folder, "out.csv")], join(folder, "out.csv"), environment.DATABASE_URL],
    [["restore", backup], restored, `sqlite:${restored}`],
  ] as const) {
    await t.test(args[0], () => {
      const words = mainCommand([...args]);
      // Blocks of 512 bytes. Node ignores the signal for a file that is too large, and the write fails.
      const { status, stderr } = spawnSync("sh", ["-c", 'ulimit -f 64; exec "$0" "$@"', ...words], {
        env: environmentOf({ DATABASE_URL: url }),
        encoding: "utf8",
      });
      assert.equal(status, 1);
      const says = `animal-store: ${file} cannot be written: EFBIG: file too large. Nothing was changed. Make room`;
      assert.ok(stderr.startsWith(says), stderr);
      assert.ok(!existsSync(file));
      const isOfLock = (name: string) => name.endsWith("-serving");
      assert.deepEqual(
        readdirSync(folder).filter((name) => !isOfLock(name)),
        before.filter((name) => !isOfLock(name)),
      );
    });
  }
});

test("backup and export name a folder that this user may not write, and change nothing", async (t) => {
  const { home, outside, user } = makeServiceFolder(t);
  const path = await copySqliteStore(t, home);
  chownSync(path, user.uid, user.gid);
  const closed = join(outside, "closed");
  mkdirSync(closed);
  // Root's folders are closed to the service by their mode for others, the user's own by their mode for the owner.
  chmodSync(closed, isRoot ? 0o500 : 0o000);
  chmodSync(outside, 0o555);
  for (const [args, file, folder = outside] of [
    [["backup", `${closed}/`], closed, closed],
    [["backup", `${outside}/`], join(outside, "store-TIME.db")],
    [["backup", join(outside, "x.db")], join(outside, "x.db")],
    [["backup", `${outside}/new/`], join(outside, "new")],
    [["export", join(outside, "x.csv")], join(outside, "x.csv")],
  ] as const) {
    await t.test(args.join(" ").replace(outside, ""), async () => {
      const result = await runCommand([...args], { DATABASE_URL: `sqlite:${path}` }, "", serviceUser);
      assert.equal(result.code, 1);
      assert.equal(
        result.stderr.replace(/store-\w+-\w+-\w+\.db/, "store-TIME.db"),
        `animal-store: ${file} cannot be written: EACCES: permission denied. Nothing was changed. Allow this user to write to ${folder}, or choose another folder.\n`,
      );
      assert.deepEqual(readdirSync(outside), ["closed"]);
    });
  }
});
