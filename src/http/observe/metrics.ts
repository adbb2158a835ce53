// The service's own metrics in Prometheus' text format. prom-client takes 1.5 µs per request for labels alone, so that it
// only measures the process.

import type { Verdict } from "../../domain/keys/admission.ts";
import { loadPackage } from "../../tools/load-package.ts";
import { once } from "../../tools/once.ts";
import { VERSION } from "../../tools/program.ts";

const SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];
const PREFIX = "animal_store_";
const GROUP_SIZES = [1, 2, 4, 8, 16, 32, 64, 128, 256];

/** "total" and "address": a new connection. "idle": an older one, which had no request, for a new one. */
type RejectedConnection = "total" | "address" | "idle";

/** "found": this node uses the server from now on. "lost": it did until now. */
type ServerChange = "found" | "lost";
type ServerEngine = "postgres" | "redis";

export type Metric = [
  name: string,
  type: "counter" | "gauge" | "histogram",
  help: string,
  value: number | Sample[],
];
export type Sample = [suffix: string, labels: Record<string, string | number>, value: number];

export interface Metrics {
  countRequest(operation: string, status: number, seconds: number): void;
  countDecision(caller: "key" | "stranger", verdict: Verdict): void;
  countCommit(groupSize: number): void;
  /** By the exceeded limit: MAX_CONNECTIONS (also "idle") or MAX_CONNECTIONS_PER_ADDRESS. */
  countRejectedConnection(reason: RejectedConnection): void;
  setOpenStreams(count: number): void;
  countAttempt(result: "delivered" | "failed"): void;
  countServerChange(engine: ServerEngine, change: ServerChange): void;
  render(): Promise<string>;
  contentType: string;
}

interface Counts {
  operations: Map<string, { statuses: Map<number, number>; latency: Histogram }>;
  decisions: Record<"key" | "stranger", Map<Verdict, number>>;
  groups: Histogram;
  rejected: Record<RejectedConnection, number>;
  attempts: Record<"delivered" | "failed", number>;
  serverChanges: Record<ServerEngine, Record<ServerChange, number>>;
  openStreams: number;
}

export function createMetrics(options: { logLinesDropped?: () => number } = {}): Metrics {
  const processMetrics = once(watchProcess);
  const counts: Counts = {
    operations: new Map(),
    decisions: { key: new Map(), stranger: new Map() },
    groups: createHistogram(GROUP_SIZES),
    rejected: { total: 0, address: 0, idle: 0 },
    attempts: { delivered: 0, failed: 0 },
    serverChanges: { postgres: { found: 0, lost: 0 }, redis: { found: 0, lost: 0 } },
    openStreams: 0,
  };
  const { operations, decisions, groups, rejected, attempts } = counts;

  function operationOf(name: string) {
    const known = operations.get(name);
    if (known !== undefined) return known;
    const fresh = { statuses: new Map<number, number>(), latency: createHistogram(SECONDS) };
    operations.set(name, fresh);
    return fresh;
  }

  return {
    countRequest(name, status, seconds) {
      const { statuses, latency } = operationOf(name);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      latency.observe(seconds);
    },
    countDecision(caller, verdict) {
      decisions[caller].set(verdict, (decisions[caller].get(verdict) ?? 0) + 1);
    },
    countCommit: groups.observe,
    countRejectedConnection(reason) {
      rejected[reason] += 1;
    },
    setOpenStreams(open) {
      counts.openStreams = open;
    },
    countAttempt(result) {
      attempts[result] += 1;
    },
    countServerChange(engine, change) {
      counts.serverChanges[engine][change] += 1;
    },
    async render() {
      const linesDropped = options.logLinesDropped?.() ?? 0;
      return `${await processMetrics().metrics()}\n${renderCounts(counts, linesDropped)}`;
    },
    contentType: "text/plain; version=0.0.4; charset=utf-8",
  };
}

function renderCounts(counts: Counts, linesDropped: number): string {
  const build: Sample = ["", { version: VERSION, node: process.versions.node }, 1];
  const operations = [...counts.operations];
  const requests = operations.flatMap(([operation, { statuses }]) =>
    [...statuses].map(([status, count]): Sample => ["", { operation, status }, count]),
  );
  const latencies = operations.flatMap(([operation, { latency }]) => latency.read({ operation }));
  const decisions = Object.entries(counts.decisions).flatMap(([caller, verdicts]) =>
    [...verdicts].map(([verdict, count]): Sample => ["", { caller, verdict }, count]),
  );
  const rejected = Object.entries(counts.rejected).map(([reason, count]): Sample => ["", { reason }, count]);
  const attempts = Object.entries(counts.attempts).map(([result, count]): Sample => ["", { result }, count]);
  const serverChanges = Object.entries(counts.serverChanges).flatMap(([engine, changes]) =>
    Object.entries(changes).map(([change, count]): Sample => ["", { engine, change }, count]),
  );
  return renderMetrics([
    ["build_info", "gauge", "Versions of the service and of Node; the value is always 1.", [build]],
    ["requests_total", "counter", "Responses by operation and status.", requests],
    [
      "request_seconds",
      "histogram",
      "Time from the head of a request to the end of its response.",
      latencies,
    ],
    ["gate_decisions_total", "counter", "Decisions of the gate by caller and verdict.", decisions],
    ["commit_group_size", "histogram", "Write transactions that shared one commit.", counts.groups.read({})],
    [
      "log_lines_dropped_total",
      "counter",
      "Log lines dropped because standard error did not accept them.",
      linesDropped,
    ],
    [
      "connections_rejected_total",
      "counter",
      "Connections that were closed without a response because of a limit.",
      rejected,
    ],
    [
      "event_streams",
      "gauge",
      "Open streams of events, and requests that wait for events.",
      counts.openStreams,
    ],
    [
      "webhook_attempts_total",
      "counter",
      "Attempts of this node to deliver an event to a webhook, by result.",
      attempts,
    ],
    [
      "server_changes_total",
      "counter",
      "How often this node has lost a server of PostgreSQL or Redis, and found one again.",
      serverChanges,
    ],
  ]);
}

/** Event-loop delay and memory. Loaded with the first request for metrics, so that the start does not wait for it. */
function watchProcess(): { metrics(): Promise<string> } {
  const { collectDefaultMetrics, Registry }: typeof import("prom-client") = loadPackage("prom-client");
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  return registry;
}

interface Histogram {
  observe(value: number): void;
  read(labels: Sample[1]): Sample[];
}

function createHistogram(bounds: readonly number[]): Histogram {
  const counts = new Array<number>(bounds.length + 1).fill(0);
  let count = 0;
  let sum = 0;
  return {
    observe(value) {
      let bucket = 0;
      while (bucket < bounds.length && value > (bounds[bucket] as number)) bucket += 1;
      counts[bucket] = (counts[bucket] ?? 0) + 1;
      count += 1;
      sum += value;
    },
    read(labels) {
      let sofar = 0;
      const buckets = bounds.map((bound, bucket): Sample => {
        sofar += counts[bucket] as number;
        return ["_bucket", { le: bound, ...labels }, sofar];
      });
      return [
        ...buckets,
        ["_bucket", { le: "+Inf", ...labels }, count],
        ["_sum", labels, sum],
        ["_count", labels, count],
      ];
    },
  };
}

/** No label needs escaping: all values are our own operations, statuses, verdicts and versions. */
export function renderMetrics(metrics: Metric[]): string {
  const texts = metrics.map(([name, type, help, value]) => {
    const samples: Sample[] = typeof value === "number" ? [["", {}, value]] : value;
    const lines = samples.map(([suffix, labels, sample]) => {
      const pairs = Object.entries(labels).map(([label, text]) => `${label}="${text}"`);
      return `${PREFIX}${name}${suffix}${pairs.length === 0 ? "" : `{${pairs.join(",")}}`} ${sample}\n`;
    });
    return `# HELP ${PREFIX}${name} ${help}\n# TYPE ${PREFIX}${name} ${type}\n${lines.join("")}`;
  });
  return texts.join("\n");
}
