// `audit`: the changes of commands and of the first start, for people and for programs.

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { migrate } from "../../src/storage/migrations/migrate.ts";
import { openSqlite } from "../../src/storage/sqlite/engine.ts";
import { commandsIn } from "../harness/clients/commands.ts";
import { makeFolder } from "../harness/runner/folder.ts";
import { startService } from "../harness/servers/service.ts";
import { makeClosedStore, type TestStore, testOnStores } from "./stores.ts";

interface Item {
  number: number;
  action: string;
  actor: { command: string };
  target?: object;
  from?: { store: string };
  to?: { store: string };
}

async function readAudit({ readJson }: Pick<TestStore, "readJson">, ...flags: string[]): Promise<Item[]> {
  return readJson("audit", ...flags);
}

testOnStores("audit", async (t, store) => {
  const { readOutput, assertRefused, folder } = store;

  await t.test("audit says that the log is empty", async () => {
    assert.equal(await readOutput("audit"), "The audit log is empty.\n");
    assert.equal(await readOutput("audit", "--json"), "[]\n");
  });

  await t.test("audit shows every change that a command makes", async () => {
    await readOutput("keys", "create", "--name", "Website", "--plan", "free");
    await readOutput("keys", "update", "1", "--plan", "enterprise", "--per-minute", "5");
    for (const subcommand of ["rotate", "unban", "revoke"]) await readOutput("keys", subcommand, "1");
    writeFileSync(join(folder, "animals.csv"), "name,categoryId\nRex,3\nMia,4\n");
    // The second import changes nothing.
    for (let i = 0; i < 2; i++) await readOutput("import", join(folder, "animals.csv"));
    const records = await readAudit(store);
    assert.deepEqual(
      records.map(({ number, action, actor, target }) => [number, action, actor.command, target]),
      [
        [6, "data.imported", "import", { file: "animals.csv" }],
        [5, "key.revoked", "keys revoke", { keyId: 1 }],
        [4, "key.unbanned", "keys unban", { keyId: 1 }],
        [3, "key.rotated", "keys rotate", { keyId: 1 }],
        [2, "key.updated", "keys update", { keyId: 1 }],
        [1, "key.created", "keys create", { keyId: 1 }],
      ],
    );
    assert.deepEqual(records[0]?.to, { pets: 2, firstId: 1, lastId: 2 });
  });

  await t.test("audit prints a table", async () => {
    const [head = "", ...rows] = (await readOutput("audit")).trimEnd().split("\n");
    assert.match(head, /^NUMBER +TIME +ACTION +BY +TARGET +CHANGE$/);
    assert.equal(rows.length, 6);
    assert.match(
      rows[0] ?? "",
      /^6 +\d{4}-\S+Z +data\.imported +import +animals\.csv +pets 2, firstId 1, lastId 2$/,
    );
    assert.match(rows[1] ?? "", / key\.revoked +keys revoke +key 1 +state active → revoked$/);
    assert.match(rows[2] ?? "", / key\.unbanned +keys unban +key 1$/);
    assert.match(rows[4] ?? "", / +plan free → enterprise, perMinute none → 5$/);
  });

  await t.test("audit prints at most --limit records, the newest", async () => {
    const numbers = (await readAudit(store, "--limit", "2")).map(({ number }) => number);
    assert.deepEqual(numbers, [6, 5]);
    const says = /--limit must be a whole number from 1 to .* See: .* audit --help/;
    for (const limit of ["0", "x"]) await assertRefused(["audit", "--limit", limit], says, 2);
  });

  await t.test("audit prints more records than fit into one page", async () => {
    const values = Array.from({ length: 1_100 }, (_, i) => `(${i + 100}, 'key.unbanned', 1, 0)`);
    await store.db.transaction((tx) =>
      tx.run(`INSERT INTO audit (number, action, actor_key_id, at_ms) VALUES ${values.join(", ")}`),
    );
    assert.equal((await readAudit(store, "--limit", "5000")).length, 1_106);
    assert.equal((await readAudit(store, "--limit", "1050")).length, 1_050);
    assert.equal((await readAudit(store)).length, 20);
  });

  await t.test("audit shows no control characters of a file name", async () => {
    const name = "\x1b[31mred.csv";
    writeFileSync(join(folder, name), "name,categoryId\nLuna,3\n");
    await readOutput("import", join(folder, name));
    assert.match(await readOutput("audit", "--limit", "1"), /\\x1b\[31mred\.csv/);
    assert.deepEqual((await readAudit(store, "--limit", "1"))[0]?.target, { file: name });
  });
});

test("the audit log names serve as the creator of the first key", async (t) => {
  const { environment } = await startService(t, { DATABASE_URL: `sqlite:${makeFolder(t)}/store.db` });
  const [first, ...others] = await readAudit(commandsIn(environment));
  assert.deepEqual(others, []);
  assert.deepEqual(
    [first?.action, first?.actor, first?.target],
    ["key.created", { command: "serve" }, { keyId: 1 }],
  );
});

test("a restored store has the audit log of the backup, and a record of the restore", async (t) => {
  const { folder, environment } = await makeClosedStore(t);
  const { readOutput, readJson } = commandsIn(environment);
  const backup = join(folder, "backup.db");
  await readOutput("keys", "create", "--name", "x", "--plan", "free");
  await readOutput("backup", backup);
  await readOutput("keys", "revoke", "1");
  const before = await readAudit({ readJson });
  await readOutput("restore", backup, "--force");
  const [restored, ...others] = await readAudit({ readJson });
  assert.deepEqual(others, before.slice(1));
  assert.deepEqual(
    [restored?.number, restored?.action, restored?.actor, restored?.target],
    [2, "data.restored", { command: "restore" }, { file: "backup.db" }],
  );
  assert.match(restored?.from?.store ?? "", /^[0-9a-f]{12}$/);
  assert.match(restored?.to?.store ?? "", /^[0-9a-f]{12}$/);
  assert.notEqual(restored?.from?.store, restored?.to?.store);
});

test("a backup without an audit log is restored unchanged, so that its own release can use it", async (t) => {
  const folder = makeFolder(t);
  const [path, backup] = [join(folder, "store.db"), join(folder, "backup.db")];
  const { readOutput } = commandsIn({ DATABASE_URL: `sqlite:${path}` });
  const old = openSqlite(path);
  await migrate(old, 0, 5);
  await old.close();
  await readOutput("backup", backup);
  await readOutput("restore", backup, "--force");
  const restored = openSqlite(path);
  t.after(() => restored.close());
  assert.equal((await restored.first("SELECT max(version) AS version FROM schema_migrations"))?.version, 5n);
});
