// The version of the program: stated once, and shown wherever an operator looks for it.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { examine } from "../../../src/cli/doctor.ts";
import { createCall } from "../../harness/clients/call.ts";
import { runInHost } from "../../harness/clients/commands.ts";
import { column } from "../../harness/clients/pages.ts";
import { startApp } from "../../harness/servers/app.ts";
import { startService } from "../../harness/servers/service.ts";

const ROOT = join(import.meta.dirname, "../../..");
const METRICS_TOKEN = "a-token-for-metrics-only";
const read = (file: string) => readFileSync(join(ROOT, file), "utf8");
const { version } = JSON.parse(read("package.json"));
const node = process.versions.node;

/** Newest first. */
const releases = [...read("CHANGELOG.md").matchAll(/^## (.*)$/gm)].map(([, heading = ""]) => {
  const [, number = "", day = ""] = /^(\d+\.\d+\.\d+) – (\d{4}-\d{2}-\d{2})$/.exec(heading) ?? [];
  return { heading, number, day };
});

test("package, client, lockfile, Kubernetes image and changelog have the same version", () => {
  const lockfile = JSON.parse(read("package-lock.json"));
  assert.deepEqual(
    {
      client: JSON.parse(read("client/package.json")).version,
      lockfile: lockfile.version,
      lockedPackage: lockfile.packages[""].version,
      image: /image: animal-store:(\S+)$/m.exec(read("deploy/kubernetes/animal-store.yaml"))?.[1],
      changelog: releases[0]?.number,
    },
    { client: version, lockfile: version, lockedPackage: version, image: version, changelog: version },
  );
});

test("the commands and examples of the docs have the version of this release", () => {
  const written = /(?:animal-store[-:]|"version":")(\d+\.\d+\.\d+)/g;
  const found = ["README.md", "docs/operating.md"].flatMap((page) => [...read(page).matchAll(written)]);
  assert.ok(found.length > 5, `found only ${found.length}`);
  const other = found.filter(([, each]) => each !== version).map(([text]) => text);
  assert.deepEqual(other, []);
});

test("no command of the docs needs a tag, which a clone may lack", () => {
  for (const page of ["README.md", "docs/operating.md", "CHANGELOG.md"])
    assert.doesNotMatch(read(page), /git (?:checkout|switch|reset)[^\n]* v\d|--tags/, page);
});

test("every release of the changelog has a version, a date and upgrade notes, the newest first", () => {
  assert.deepEqual(
    column(
      releases.filter(({ number }) => number === ""),
      "heading",
    ),
    [],
    'a heading must be "VERSION – YYYY-MM-DD"',
  );
  const byVersion = (a: (typeof releases)[0], b: (typeof releases)[0]) =>
    b.number.localeCompare(a.number, "en", { numeric: true });
  assert.deepEqual(releases, releases.toSorted(byVersion));
  const days = releases.map(({ day }) => day);
  assert.deepEqual(days, days.toSorted().reverse());
  for (const section of read("CHANGELOG.md").split(/^## /m).slice(1))
    assert.match(section, /^### Upgrade notes$/m);
});

test("--version prints the version", async () => {
  for (const word of ["--version", "version"]) {
    const { code, stdout, stderr } = await runInHost([word]);
    assert.deepEqual([code, stdout, stderr], [0, `animal-store ${version}\n`, ""]);
  }
});

test("serve shows the version in its first line and in one line of the log", async (t) => {
  const service = await startService(t, { LOG_LEVEL: "info" });
  assert.ok(service.output.stdout.startsWith(`Animal Store ${version} listens on ${service.url} (`));
  await service.stop();
  const lines = service.output.stderr
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  const started = lines.filter(({ msg }) => msg === "started");
  assert.equal(started.length, 1);
  const { level: _, time: __, msg: ___, ...fields } = started[0];
  assert.deepEqual(fields, { version, node, engine: "sqlite", gate: "in-process", address: service.url });
});

test("/healthz and animal_store_build_info show the version", async (t) => {
  const { url } = await startApp(t, { environment: { METRICS_TOKEN } });
  const outside = createCall(url);
  assert.equal((await outside("GET", "/healthz")).text, `{"status":"ok","version":"${version}"}`);
  const { text } = await outside("GET", "/metrics", { key: METRICS_TOKEN });
  assert.ok(
    text.includes(`\n# TYPE animal_store_build_info gauge
animal_store_build_info{version="${version}",node="${node}"} 1\n`),
    text,
  );
});

test("doctor shows the version first", async () => {
  const [first] = await examine({ deep: false }, { PORT: "not a port" });
  assert.deepEqual(first, { check: "version", result: "ok", detail: `Animal Store ${version}`, mend: "" });
});
