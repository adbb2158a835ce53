// `doctor` on a SQLite store: configuration, database, schema, clock and files.

import assert from "node:assert/strict";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import SqliteConnection from "better-sqlite3";
import { type Finding, formatFindings, inTime } from "../../src/cli/doctor/finding.ts";
import { describePhotos } from "../../src/cli/doctor/host.ts";
import { examine } from "../../src/cli/doctor.ts";
import { SCHEMA_VERSION } from "../../src/storage/migrations/migrate.ts";
import { runInHost } from "../harness/clients/commands.ts";
import { makeFolder } from "../harness/runner/folder.ts";
import { runCommand, startService } from "../harness/servers/service.ts";

type Check = "runtime" | "configuration" | "engine" | "writes" | "schema" | "clock" | "photos" | "disk";

test("doctor", async (t) => {
  const folder = makeFolder(t);
  const path = join(folder, "data", "store.db");
  const environment = { DATABASE_URL: `sqlite:${path}`, PORT: "0" };
  const check = async (deep = false) => {
    const findings = await examine({ deep }, environment);
    return Object.fromEntries(findings.map((finding) => [finding.check, finding])) as Record<Check, Finding>;
  };

  await t.test("finds no fault before the first start, and creates nothing", async () => {
    const { engine, clock, disk } = await check();
    assert.match(engine.detail, /store\.db does not exist yet$/);
    assert.deepEqual([engine.result, clock.result, disk.result], ["ok", "ok", "ok"]);
    assert.equal(existsSync(join(folder, "data")), false);
  });

  await t.test("says whether a process serves the store", async () => {
    const service = await startService(t, environment);
    assert.match((await check()).engine.detail, /store\.db readable, being served$/);
    await service.stop();
    assert.match((await check()).engine.detail, /store\.db readable, not being served$/);
  });

  await t.test("says whether photos can be added, and otherwise why not", async () => {
    assert.equal((await check()).photos.detail, "images can be processed");
    const { result, detail, mend } = describePhotos("Cannot find package 'sharp'\nimported from x");
    assert.deepEqual(
      [result, detail],
      ["warning", "images cannot be processed: Cannot find package 'sharp'"],
    );
    assert.match(mend, /npm ci/);
  });

  await t.test("reads the whole store with --deep", async () => {
    const { engine, schema } = await check(true);
    assert.match(engine.detail, /store\.db integrity checked, not being served$/);
    assert.deepEqual(
      [engine.result, schema.detail],
      ["ok", `version ${SCHEMA_VERSION}, this release has ${SCHEMA_VERSION}`],
    );
  });

  await t.test("prints a table and exits with 0", async () => {
    const { code, stdout } = await runInHost(["doctor"], environment);
    assert.equal(code, 0);
    assert.match(
      stdout,
      /^CHECK +RESULT +DETAIL\nversion +ok +Animal Store \d+\.\d+\.\d+\nruntime +ok +Node \d+/,
    );
  });

  await t.test("finds a clock that is behind the data, with --json and exit code 1", async () => {
    const db = new SqliteConnection(path);
    db.exec(`UPDATE api_keys SET created_at_ms = ${Date.now() + 3_600_000}`);
    db.close();
    const { clock } = await check();
    assert.equal(clock.result, "fault");
    assert.match(clock.mend, /Correct it; use NTP/);
    const { code, stdout, stderr } = await runInHost(["doctor", "--json"], environment);
    assert.equal(code, 1);
    const found: Finding[] = JSON.parse(stdout);
    assert.deepEqual(
      { ...found.find((each) => each.check === "clock"), detail: "" },
      { ...clock, detail: "" },
    );
    assert.match(stderr, /^animal-store: 1 of \d+ checks found a fault\./);
    const table = await runInHost(["doctor"], environment);
    assert.equal(table.code, 1);
    assert.ok(table.stdout.endsWith(`\n\nclock: ${clock.mend}\n`), "the fix is below the table");
  });

  await t.test("finds a file that is not a database, as does serve", async () => {
    writeFileSync(path, "a letter ".repeat(1_000));
    const { engine } = await check();
    assert.equal(engine.result, "fault");
    assert.match(engine.detail, /not a database/);
    const serve = await runCommand(["serve"], { ...environment, PORT: "0" });
    assert.equal(serve.code, 1);
    assert.match(
      serve.stderr,
      /^animal-store: The database cannot be used: file is not a database\. To find out how to fix it, run: npm run/,
    );
  });

  await t.test("names every fault of the configuration", async () => {
    const [, , configuration] = await examine({ deep: false }, { PORT: "x", LOG_LEVEL: "y" });
    assert.equal(configuration?.result, "fault");
    assert.match(configuration?.detail ?? "", /^PORT must be .*; LOG_LEVEL must be one of/);
    assert.match(
      configuration?.mend ?? "",
      /^Correct these variables\. To see what each accepts, run: .* settings --help$/,
    );
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
