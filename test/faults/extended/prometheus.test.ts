// Prometheus' own checks of the files in deploy/prometheus/ and deploy/grafana/. They need a package of 300 MB.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { shown } from "../../harness/clients/monitoring.ts";
import { makeFolder } from "../../harness/runner/folder.ts";
import { findProgram } from "../../harness/runner/packages.ts";

const ROOT = join(import.meta.dirname, "../../..");

/** Returns its output. */
function runPromtool(...args: string[]): string {
  const { status, stdout, stderr } = spawnSync(findProgram("promtool"), args, { encoding: "utf8" });
  assert.equal(status, 0, stdout + stderr);
  return stdout;
}

test("Prometheus accepts the configuration and the rules", (t) => {
  const folder = makeFolder(t);
  const token = join(folder, "token");
  writeFileSync(token, "a-token-for-metrics-only");
  copyFileSync(join(ROOT, "deploy/prometheus/alerts.yml"), join(folder, "alerts.yml"));
  const configuration = readFileSync(join(ROOT, "deploy/prometheus/prometheus.yml"), "utf8");
  const file = join(folder, "prometheus.yml");
  writeFileSync(file, configuration.replace("/etc/prometheus/animal-store.token", token));
  assert.match(runPromtool("check", "config", file), /SUCCESS: 1 rule files found/);
});

test("alerts are raised as the cases say", () => {
  runPromtool("test", "rules", join(ROOT, "test/faults/extended/prometheus/alerts.test.yml"));
});

test("Prometheus parses every expression of the dashboard", (t) => {
  const file = join(makeFolder(t), "dashboard.yml");
  const rules = shown.map((expr, index) => ({ record: `dashboard:${index}`, expr }));
  writeFileSync(file, JSON.stringify({ groups: [{ name: "dashboard", rules }] }));
  assert.match(runPromtool("check", "rules", file), new RegExp(`SUCCESS: ${shown.length} rules found`));
});
