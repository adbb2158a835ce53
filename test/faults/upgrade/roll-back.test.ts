// The way back from a release with a newer schema: the backup from before the upgrade.

import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import SqliteConnection from "better-sqlite3";
import { SCHEMA_VERSION } from "../../../src/storage/migrations/migrate.ts";
import { runInHost } from "../../harness/clients/commands.ts";
import { makeFolder } from "../../harness/runner/folder.ts";
import { startNode } from "../../harness/servers/node.ts";

test("After a newer release has migrated a store, the backup from before the upgrade can be restored", async (t) => {
  const folder = makeFolder(t);
  const [path, backup] = [join(folder, "store.db"), join(folder, "before-upgrade.db")];
  const environment = { DATABASE_URL: `sqlite:${path}` };
  const first = await startNode(t, environment);
  await first.call("POST", "/pets", { body: { name: "Rex", categoryId: 3 } });
  assert.equal((await runInHost(["backup", backup], environment)).code, 0);
  await first.stop();

  const newer = new SqliteConnection(path);
  newer.exec(`INSERT INTO schema_migrations VALUES (${SCHEMA_VERSION + 1}, 'of a newer release', 0)`);
  newer.exec("ALTER TABLE pets ADD COLUMN photo TEXT");
  newer.close();
  await assert.rejects(startNode(t, environment), {
    message: new RegExp(
      `^The database has schema ${SCHEMA_VERSION + 1}; this release knows up to ${SCHEMA_VERSION}\\.`,
    ),
  });

  const restored = await runInHost(["restore", backup, "--force"], environment);
  assert.equal(restored.code, 0, restored.stderr);
  const second = await startNode(t, environment);
  assert.deepEqual((await second.call("GET", "/pets")).json, [
    { id: 1, name: "Rex", categoryId: 3, status: "available" },
  ]);
});
