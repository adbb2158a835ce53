// `import`: adds every good row once and lists every bad row, also when it is killed and run again.

import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { runInHost } from "../harness/clients/commands.ts";
import { PATIENT_MS } from "../harness/runner/patience.ts";
import { startNode } from "../harness/servers/node.ts";
import { startRedis } from "../harness/servers/redis.ts";
import { runCommand, startCommand } from "../harness/servers/service.ts";
import { takePostgresStore } from "../harness/servers/stores.ts";
import { makeStore, testOnStores } from "./stores.ts";

/** Fewer on PostgreSQL, which other tests use at the same time. */
const ROWS = { sqlite: 30_000, postgres: 8_000 };

const statusOf = (i: number) => ["available", "pending", "sold"][i % 3];
const rowOf = (i: number) => `"Pet ${i}, ""the 🐕""";${9_007_199_254_740_993n + BigInt(i)};${statusOf(i)}`;

testOnStores("an import that is killed and run again while the service is in use", async (t, store) => {
  const { db, environment, command } = store;
  const total = ROWS[db.engine];
  const rows = Array.from({ length: total }, (_, i) => rowOf(i));
  const file = store.write("animals.csv", `Name;CategoryID;STATUS\r\n${rows.join("\r\n")}\r\n`);
  const count = async () =>
    Number((await db.first("SELECT count(*) AS n FROM pets WHERE category_id <> 1"))?.n);
  const service = await startNode(t, environment);
  const created: number[] = [];
  let isOver = false;
  let longestMs = 0;
  const write = async () => {
    while (!isOver) {
      const beganMs = performance.now();
      const answer = await service.call("POST", "/pets", { body: { name: "Meanwhile", categoryId: 1 } });
      longestMs = Math.max(longestMs, performance.now() - beganMs);
      assert.equal(answer.status, 201, answer.text);
      created.push(answer.json.id);
      await pause(20);
    }
  };
  const writer = write();
  t.after(() => {
    isOver = true;
  });

  await t.test("is interrupted by kill -9", async () => {
    const { child, ended } = startCommand(["import", file], environment);
    while ((await count()) < total / 10) {
      const early = await Promise.race([ended, pause(5)]);
      assert.equal(early, undefined, `it ended before it was killed: ${early?.stderr}`);
    }
    child.kill("SIGKILL");
    await ended;
    const done = await count();
    t.diagnostic(`killed after ${done} animals`);
    assert.ok(done < total, "it was killed before its end");
  });

  await t.test("continues where it stopped", async () => {
    const done = await count();
    const beganMs = performance.now();
    const result = await command("import", file, "--json");
    t.diagnostic(`${total - done} rows in ${Math.round(performance.now() - beganMs)} ms`);
    assert.equal(result.code, 0, result.stderr);
    const { added, unchanged, bad } = JSON.parse(result.stdout);
    assert.deepEqual({ added, unchanged, bad }, { added: total - done, unchanged: done, bad: 0 });
    assert.equal(result.stderr, "", "no progress bar without a terminal");
  });

  await t.test("adds nothing the second time", async () => {
    const again = await command("import", file);
    assert.match(again.stdout, /^This file was imported before, at \S+Z\. Nothing was added/);
    assert.equal(again.code, 0);
    assert.equal(await count(), total);
  });

  await t.test("adds every row in order, counted and recorded without a gap", async () => {
    isOver = true;
    await writer;
    t.diagnostic(
      `the longest of ${created.length} writes during the import took ${Math.round(longestMs)} ms`,
    );
    const pets = await db.snapshot((q) =>
      q.all("SELECT name, category_id, status FROM pets WHERE category_id <> 1 ORDER BY id"),
    );
    const found = pets.map(
      ({ name, category_id, status }) => `"${String(name).replaceAll('"', '""')}";${category_id};${status}`,
    );
    assert.deepEqual(found, rows);
    const all = total + created.length;
    const numbers = await db.first(
      "SELECT max(number) AS high, count(*) AS n FROM history WHERE what = 'pet.created'",
    );
    assert.deepEqual({ ...numbers }, { high: BigInt(all), n: BigInt(all) });
    const counted = await db.first("SELECT sum(pets) AS n FROM inventory");
    assert.equal(Number(counted?.n), all);
  });
});

test("imported animals are on the next page of every node that shares Redis", async (t) => {
  const store = await makeStore(t, await takePostgresStore(t));
  const redis = { REDIS_URL: (await startRedis(t)).url, REDIS_TIMEOUT_MS: PATIENT_MS };
  const service = await startNode(t, { ...store.environment, ...redis });
  const list = async () => (await service.call("GET", "/pets")).json.length;
  for (let animals = 1; animals <= 3; animals++) {
    const file = store.write(`${animals}.ndjson`, `{"name":"Rex","categoryId":${animals}}\n`);
    let isOver = false;
    // Keeps the page cached until the import has ended.
    const reader = (async () => {
      for (; !isOver; await pause(5)) await list();
    })();
    await runInHost(["import", file], { ...store.environment, ...redis });
    assert.equal(await list(), animals);
    isOver = true;
    await reader;
  }
});

test("import adds a file once when two commands import it at the same time", async (t) => {
  const { countPets, environment, write } = await makeStore(t);
  const rows = Array.from({ length: 100 }, (_, i) => `Pet ${i},1`);
  const file = write("twice.csv", `name,categoryId\n${rows.join("\n")}\n`);
  const importFile = () => runCommand(["import", file], environment);
  const results = await Promise.all([importFile(), importFile()]);
  assert.equal(await countPets(), 100, results.map(({ stdout, stderr }) => stdout + stderr).join());
  assert.ok(
    results.some(({ code, stdout }) => code === 0 && stdout.startsWith("Imported: 100 animals added")),
  );
});

test("import adds the rows of a file again with --again", async (t) => {
  const { command, countPets, write } = await makeStore(t);
  const file = write("again.csv", "name,categoryId\nRex,1\n");
  for (const flags of [[], [], ["--again"], []])
    assert.equal((await command("import", file, ...flags)).code, 0);
  assert.equal(await countPets(), 2);
});

test("import refuses to read the rest of an interrupted import in another way", async (t) => {
  const { command, db, listPets, write } = await makeStore(t);
  const file = write("cut.csv", "name,other,categoryId\nRex,Max,1\nLuna,Tom,2\n");
  await command("import", file);
  await db.transaction((tx) =>
    tx.run(
      "UPDATE imports SET rows_done = 1, finished_at_ms = NULL, imported = NULL WHERE last_id = (SELECT max(id) FROM pets)",
    ),
  );
  for (const flags of [["--map", "name=other"], ["--encoding", "windows-1252"], ["--excel"]]) {
    const { code, stderr } = await command("import", file, ...flags);
    assert.equal(code, 1);
    assert.match(stderr, /was interrupted after 1 rows\. Import the file with the same settings/);
  }
  assert.match(
    (await command("import", file)).stdout,
    /It continued after row 1, where the last attempt was interrupted/,
  );
  assert.deepEqual(await listPets(), ["Rex 1 available", "Luna 2 available", "Luna 2 available"]);
});

test("import creates no store", async (t) => {
  const { folder, write } = await makeStore(t);
  const file = write("none.csv", "name,categoryId\nRex,1\n");
  const result = await runInHost(["import", file], { DATABASE_URL: `sqlite:${folder}/none.db` });
  assert.deepEqual([result.code, /There is no store at/.test(result.stderr)], [1, true]);
});
