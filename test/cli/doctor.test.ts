// `doctor` on a SQLite store: configuration, database, schema, clock and files.

import assert from "node:assert/strict";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import SqliteConnection from "better-sqlite3";
import { type Finding, formatFindings, inTime } from "../../src/cli/doctor/finding.ts";
import { describePhotos } from "../../src/cli/doctor/machine.ts";
import { SCHEMA_VERSION } from "../../src/storage/migrations/migrate.ts";
import { commandsIn } from "../harness/clients/commands.ts";
import { assertFinding, findAll } from "../harness/clients/findings.ts";
import { column } from "../harness/clients/pages.ts";
import { makeFolder } from "../harness/runner/folder.ts";
import { startSilentPeer } from "../harness/servers/peer.ts";
import { runCommand, startService } from "../harness/servers/service.ts";

test("doctor checks a SQLite store from its first start on", async (t) => {
  const folder = makeFolder(t);
  const path = join(folder, "data", "store.db");
  const environment = { DATABASE_URL: `sqlite:${path}`, PORT: "0" };
  const { command, readOutput } = commandsIn(environment);
  const check = (deep = false) => findAll(environment, { deep });

  await t.test("doctor finds no fault before the first start, and creates nothing", async () => {
    const { engine, clock, disk } = await check();
    assertFinding(engine, "ok", /store\.db does not exist yet$/);
    assert.deepEqual([clock?.result, disk?.result], ["ok", "ok"]);
    assert.equal(existsSync(join(folder, "data")), false);
  });

  await t.test("doctor says whether a process serves the store", async () => {
    const service = await startService(t, environment);
    assertFinding((await check()).engine, "ok", /store\.db readable, being served$/);
    await service.stop();
    assertFinding((await check()).engine, "ok", /store\.db readable, not being served$/);
  });

  await t.test("doctor says whether photos can be added, and otherwise why not", async () => {
    assertFinding((await check()).photos, "ok", "images can be processed");
    const found = describePhotos("Cannot find package 'sharp'\nimported from x");
    const detail = "images cannot be processed: Cannot find package 'sharp'";
    assertFinding(found, "warning", detail, /npm ci/);
  });

  await t.test("doctor reads the whole store with --deep", async () => {
    const { engine, schema } = await check(true);
    assertFinding(engine, "ok", /store\.db integrity checked, not being served$/);
    assertFinding(schema, "ok", `version ${SCHEMA_VERSION}, this release has ${SCHEMA_VERSION}`);
  });

  await t.test("doctor prints a table and exits with 0", async () => {
    const table = /^CHECK +RESULT +DETAIL\nversion +ok +Animal Store \d+\.\d+\.\d+\nruntime +ok +Node \d+/;
    assert.match(await readOutput("doctor"), table);
  });

  await t.test("doctor finds a clock that is earlier than the data, and exits with 1", async () => {
    const db = new SqliteConnection(path);
    db.exec(`UPDATE api_keys SET created_at_ms = ${Date.now() + 3_600_000}`);
    db.close();
    const { clock } = await check();
    assertFinding(clock, "fault", /./, /Correct it; use NTP/);
    const { code, stdout, stderr } = await command("doctor", "--json");
    assert.equal(code, 1);
    const found: Finding[] = JSON.parse(stdout);
    assert.deepEqual(
      { ...found.find((each) => each.check === "clock"), detail: "" },
      { ...clock, detail: "" },
    );
    assert.match(stderr, /^animal-store: 1 of \d+ checks found a fault\./);
    const table = await command("doctor");
    assert.equal(table.code, 1);
    assert.ok(table.stdout.endsWith(`\n\nclock: ${clock?.mend}\n`), "the fix is below the table");
  });

  await t.test("doctor finds a file that is not a database, as does serve", async () => {
    writeFileSync(path, "a letter ".repeat(1_000));
    const { engine } = await check();
    assertFinding(engine, "fault", /not a database/);
    const serve = await runCommand(["serve"], environment);
    assert.equal(serve.code, 1);
    assert.match(
      serve.stderr,
      /^animal-store: The database cannot be used: file is not a database\. To find out how to fix it, run: npm run/,
    );
  });

  await t.test("doctor names every fault of the configuration", async () => {
    const { configuration } = await findAll({ PORT: "x", LOG_LEVEL: "y" });
    const mend = /^Correct these variables\. To see what each accepts, run: .* settings --help$/;
    assertFinding(configuration, "fault", /^PORT must be .*; LOG_LEVEL must be one of/, mend);
  });
});

test("the table of doctor is at most 100 columns wide, except for a word that is longer", () => {
  const path = `/${"folder/".repeat(20)}store.db`;
  const detail =
    `uid 998 cannot write ${path}: it belongs to root, mode 0644, ${"and so on ".repeat(20)}`.trim();
  const finding: Finding = { check: "configuration", result: "warning", detail, mend: "" };
  const lines = formatFindings([{ ...finding, check: "disk" }, finding], 100);
  const [head, ...rows] = lines;
  assert.equal(head, "CHECK          RESULT   DETAIL");
  for (const line of lines) assert.ok(line.length <= 100 || line.includes(path), line);
  assert.equal(rows.filter((row) => row.includes("warning")).length, 2);
  const words = rows.map((row) => row.slice(24)).join(" ");
  assert.equal(words, `${detail} ${detail}`, "nothing is lost");
  assert.ok(rows.every((row) => row.startsWith(" ".repeat(24)) || row.includes("warning")));
});

test("a check without an end has the result of its time limit", async () => {
  assert.equal(await inTime(new Promise(() => {}), 1, "late"), "late");
  assert.equal(await inTime(Promise.resolve("done"), 600_000, "late"), "done");
});

test("doctor ends although no partner answers", { timeout: 30_000 }, async (t) => {
  const port = await startSilentPeer(t);
  const secret = "a-secret-of-partners";
  const redis = `redis://:${secret}@127.0.0.1:${port}`;
  const { code, stdout, stderr } = await runCommand(["doctor", "--json"], {
    DATABASE_URL: `postgres://admin:${secret}@127.0.0.1:${port}/animals`,
    REDIS_URL: [redis, redis, redis].join(","),
    PORT: String(port),
  });
  assert.equal(code, 1);
  const findings: Finding[] = JSON.parse(stdout);
  const faults = findings.filter(({ result }) => result === "fault");
  assert.deepEqual(column(faults, "check"), ["engine", "redis", "address", "start"]);
  for (const { mend } of faults) assert.notEqual(mend, "");
  assert.doesNotMatch(stdout + stderr, new RegExp(secret));
});
