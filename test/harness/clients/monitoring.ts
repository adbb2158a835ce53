// The alert rules and the dashboard of deploy/, read for the tests.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";

const DEPLOY = join(import.meta.dirname, "../../../deploy");

interface Rule {
  alert: string;
  expr: string;
  labels: { severity: string };
  annotations: { summary: string; description: string };
}

interface Panel {
  id: number;
  title: string;
  type: string;
  datasource: { uid: string };
  gridPos: { x: number; y: number; w: number; h: number };
  targets: Array<{ refId: string; expr: string; legendFormat: string; datasource: { uid: string } }>;
}

export const rules: Rule[] = parse(
  readFileSync(join(DEPLOY, "prometheus/alerts.yml"), "utf8"),
).groups.flatMap(({ rules }: { rules: Rule[] }) => rules);
export const dashboard = JSON.parse(readFileSync(join(DEPLOY, "grafana/animal-store.json"), "utf8"));
export const panels: Panel[] = dashboard.panels;
/** Expressions of the dashboard with its variables filled in as Grafana does. */
export const shown = panels.flatMap(({ targets }) =>
  targets.map(({ expr }) =>
    expr
      .replaceAll("$__rate_interval", "1m")
      .replaceAll("$job", "animal-store")
      .replaceAll("$instance", ".*"),
  ),
);
