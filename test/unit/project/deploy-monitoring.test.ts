// The alert rules and the dashboard of deploy/ use metrics and labels that the service has, and are valid for Prometheus.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { renderRedis, renderServers } from "../../../src/http/observe/health-metrics.ts";
import { call } from "../../harness/clients/call.ts";
import { dashboard, panels, rules, shown } from "../../harness/clients/monitoring.ts";
import { startApp } from "../../harness/servers/app.ts";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
const METRICS_TOKEN = "a-token-for-metrics-only";
const GRID_WIDTH = 24;
/** Grafana replaces it by the chosen data source. */
const SOURCE = ["$", "{datasource}"].join("");

/** The metric names of an expression, each with its label matchers. */
function readSelectors(
  expr: string,
): Array<{ name: string; matchers: Array<[label: string, value: string]> }> {
  return [...expr.matchAll(/\b((?:animal_store|process|nodejs)_\w+)(?:\{([^}]*)\})?/g)].map(
    ([, name = "", text = ""]) => ({
      name,
      matchers: [...text.matchAll(/(\w+)\s*(=~|!~|!=|=)\s*"([^"]*)"/g)].map(
        ([, label = "", sign, value = ""]) => [label, sign === "=" ? value : ""],
      ),
    }),
  );
}

/** Only with several servers. */
const SERVERS = [
  renderRedis([
    { server: "10.0.0.1:6379", role: "master", isAway: false },
    { server: "10.0.0.1:26379", role: "sentinel", isAway: false },
  ]),
  renderServers([
    { host: "10.0.0.1:5432", role: "primary" },
    { host: "10.0.0.2:5432", role: "standby", lagBytes: 0, lagSeconds: 0 },
    { host: "10.0.0.3:5432", role: "unreachable" },
  ]),
].join("\n");

/** Every series of the service after requests, refusals, a ban, a failure and a write, and of several servers. */
async function readSeries(
  t: Parameters<typeof startApp>[0],
): Promise<Map<string, Array<Record<string, string>>>> {
  const { call: ask, url, createKey, clock } = await startApp(t, { environment: { METRICS_TOKEN } });
  await ask("POST", "/pets", { body: { name: "Rex", categoryId: 1 } });
  const { key } = await createKey({ plan: "enterprise", perMinute: 1, perDay: 1_000 });
  for (let i = 0; i < 60; i++) {
    await ask("GET", "/pets", { key });
    // Refusals within a second of the first one do not count towards a ban.
    if (i === 1) clock.advance(2_000);
  }
  const { text } = await call("GET", `${url}/metrics`, { key: METRICS_TOKEN });
  const series = new Map<string, Array<Record<string, string>>>();
  for (const [, name = "", labels = ""] of `${text}${SERVERS}`.matchAll(/^(\w+)(?:\{(.*)\})? \S+$/gm)) {
    const pairs = [...labels.matchAll(/(\w+)="([^"]*)"/g)].map(([, label = "", value = ""]) => [
      label,
      value,
    ]);
    series.set(name, [...(series.get(name) ?? []), Object.fromEntries(pairs)]);
  }
  return series;
}

test("every metric, label and label value of the rules and the dashboard exists", async (t) => {
  const series = await readSeries(t);
  const expressions = [...rules.map(({ expr }) => expr), ...shown];
  const selectors = expressions.flatMap(readSelectors);
  assert.ok(selectors.length > 30);
  // Labels that Prometheus adds.
  const added = ["job", "instance"];
  const wrong = selectors.flatMap(({ name, matchers }) => {
    const found = series.get(name);
    if (found === undefined) return [name];
    return matchers
      .filter(([label]) => !added.includes(label))
      .filter(
        ([label, value]) => !found.some((each) => label in each && (value === "" || each[label] === value)),
      )
      .map(([label, value]) => `${name}{${label}="${value}"}`);
  });
  assert.deepEqual(wrong, []);
  const grouped = expressions.flatMap((expr) =>
    [...expr.matchAll(/by \(([^)]*)\)/g)].map(([, list = ""]) => list),
  );
  const labels = new Set([...series.values()].flat().flatMap(Object.keys).concat(added));
  assert.deepEqual(
    grouped.flatMap((list) => list.split(/,\s*/)).filter((label) => !labels.has(label)),
    [],
  );
});

test("every own metric is in a rule or on the dashboard, and in docs/operating.md", async (t) => {
  const own = [...(await readSeries(t)).keys()].filter((name) => name.startsWith("animal_store_"));
  const used = [...rules.map(({ expr }) => expr), ...shown].join("\n");
  const docs = readFileSync(join(ROOT, "docs/operating.md"), "utf8");
  const base = (name: string) => name.replace(/_(?:bucket|sum|count)$/, "");
  assert.deepEqual(
    own.filter((name) => !used.includes(base(name))),
    [],
  );
  assert.deepEqual(
    own.filter((name) => !docs.includes(`\`${base(name)}\``)),
    [],
  );
});

test("every alert has a severity, a summary and advice, and a case in test/prometheus/", () => {
  const cases = readFileSync(join(ROOT, "test/faults/extended/prometheus/alerts.test.yml"), "utf8");
  for (const { alert, labels, annotations } of rules) {
    assert.match(alert, /^AnimalStore[A-Z]/);
    assert.ok(["critical", "warning"].includes(labels.severity), alert);
    assert.ok(annotations.summary.length > 0 && annotations.description.length > 20, alert);
    assert.ok(
      cases.includes(`alertname: ${alert}\n        exp_alerts:`),
      `${alert} has no case that raises it`,
    );
  }
  assert.equal(new Set(rules.map(({ alert }) => alert)).size, rules.length);
});

test("the dashboard chooses its data source, and its panels do not overlap", () => {
  assert.equal(dashboard.uid, "animal-store");
  const variables = dashboard.templating.list.map(({ name, type }: { name: string; type: string }) => [
    name,
    type,
  ]);
  assert.deepEqual(variables, [
    ["datasource", "datasource"],
    ["job", "query"],
    ["instance", "query"],
  ]);
  const cells = new Set<string>();
  for (const { title, type, datasource, gridPos, targets } of panels) {
    assert.ok(title.length > 0 && ["stat", "timeseries"].includes(type));
    assert.ok(targets.length > 0, title);
    for (const each of [datasource, ...targets.map((target) => target.datasource)])
      assert.equal(each.uid, SOURCE, title);
    assert.equal(new Set(targets.map(({ refId }) => refId)).size, targets.length, title);
    for (const { expr } of targets) assert.ok(expr.includes('job="$job", instance=~"$instance"'), title);
    const { x, y, w, h } = gridPos;
    assert.ok(x >= 0 && x + w <= GRID_WIDTH && w > 0 && h > 0, title);
    for (let column = x; column < x + w; column++)
      for (let row = y; row < y + h; row++) {
        assert.ok(!cells.has(`${column},${row}`), `${title} covers another panel`);
        cells.add(`${column},${row}`);
      }
  }
  assert.equal(new Set(panels.map(({ id }) => id)).size, panels.length);
  assert.equal(new Set(panels.map(({ title }) => title)).size, panels.length);
});
