// The service's own metrics in Prometheus' text format. prom-client takes 1.5 µs per request for labels alone, so that it
// only measures the process.

import type { Verdict } from "../../domain/keys/limits.ts";

const SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];
const GROUP_SIZES = [1, 2, 4, 8, 16, 32, 64];

/** The exceeded limit: MAX_CONNECTIONS or MAX_CONNECTIONS_PER_ADDRESS. */
const REJECTION_REASONS = ["total", "address"] as const;
type RejectionReason = (typeof REJECTION_REASONS)[number];

export interface Metrics {
  countRequest(operation: string, status: number, seconds: number): void;
  countDecision(caller: "key" | "stranger", verdict: Verdict): void;
  countCommit(groupSize: number): void;
  countRejectedConnection(reason: RejectionReason): void;
  render(): Promise<string>;
  contentType: string;
}

export function createMetrics({
  logLinesDropped = () => 0,
}: {
  logLinesDropped?: () => number;
} = {}): Metrics {
  let processMetrics: Promise<{ metrics(): Promise<string> }> | undefined;
  const operations = new Map<string, { statuses: Map<number, number>; latency: Histogram }>();
  const decisions = { key: new Map<Verdict, number>(), stranger: new Map<Verdict, number>() };
  const groups = createHistogram(GROUP_SIZES);
  const rejected = { total: 0, address: 0 };

  function operationOf(name: string) {
    const known = operations.get(name);
    if (known !== undefined) return known;
    const fresh = { statuses: new Map<number, number>(), latency: createHistogram(SECONDS) };
    operations.set(name, fresh);
    return fresh;
  }

  function render(): string {
    const requests = [...operations].flatMap(([operation, { statuses }]) =>
      [...statuses].map(([status, count]) => ({ labels: { operation, status }, count })),
    );
    const latencies = [...operations].map(([operation, { latency }]) => ({
      labels: { operation },
      histogram: latency,
    }));
    const decided = Object.entries(decisions).flatMap(([caller, verdicts]) =>
      [...verdicts].map(([verdict, count]) => ({ labels: { caller, verdict }, count })),
    );
    return [
      renderCounter("animal_store_requests_total", "Responses by operation and status.", requests),
      renderHistogram(
        "animal_store_request_seconds",
        "Time from the head of a request to the end of its response.",
        latencies,
      ),
      renderCounter(
        "animal_store_gate_decisions_total",
        "Decisions of the gate by caller and verdict.",
        decided,
      ),
      renderHistogram("animal_store_commit_group_size", "Write transactions that shared one commit.", [
        { labels: {}, histogram: groups },
      ]),
      renderCounter(
        "animal_store_log_lines_dropped_total",
        "Log lines dropped because standard error did not accept them.",
        [{ labels: {}, count: logLinesDropped() }],
      ),
      renderCounter(
        "animal_store_connections_rejected_total",
        "Connections beyond a limit, closed without a response.",
        REJECTION_REASONS.map((reason) => ({ labels: { reason }, count: rejected[reason] })),
      ),
    ].join("\n");
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
    countCommit: (groupSize) => groups.observe(groupSize),
    countRejectedConnection(reason) {
      rejected[reason] += 1;
    },
    async render() {
      processMetrics ??= watchProcess();
      return `${await (await processMetrics).metrics()}\n${render()}`;
    },
    contentType: "text/plain; version=0.0.4; charset=utf-8",
  };
}

/** Event-loop delay and memory. Loaded with the first request for metrics, so that the start does not wait for it. */
async function watchProcess(): Promise<{ metrics(): Promise<string> }> {
  const { collectDefaultMetrics, Registry } = await import("prom-client");
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  return registry;
}

type Labels = Record<string, string | number>;

interface Histogram {
  observe(value: number): void;
  /** `counts` are cumulative: the values up to each bound. */
  read(): { bounds: readonly number[]; counts: number[]; count: number; sum: number };
}

function createHistogram(bounds: readonly number[]): Histogram {
  const counts = new Array<number>(bounds.length + 1).fill(0);
  let count = 0;
  let sum = 0;
  return {
    observe(value) {
      let bucket = 0;
      while (bucket < bounds.length && value > (bounds[bucket] as number)) bucket += 1;
      counts[bucket] = (counts[bucket] as number) + 1;
      count += 1;
      sum += value;
    },
    read() {
      let sofar = 0;
      const cumulative = bounds.map((_, bucket) => {
        sofar += counts[bucket] as number;
        return sofar;
      });
      return { bounds, counts: cumulative, count, sum };
    },
  };
}

function renderCounter(
  name: string,
  help: string,
  samples: Array<{ labels: Labels; count: number }>,
): string {
  const lines = samples.map(({ labels, count }) => `${name}${renderLabels(labels)} ${count}`);
  return head(name, help, "counter", lines);
}

function renderHistogram(
  name: string,
  help: string,
  samples: Array<{ labels: Labels; histogram: Histogram }>,
): string {
  const lines = samples.flatMap(({ labels, histogram }) => {
    const { bounds, counts, count, sum } = histogram.read();
    const buckets = [...bounds.map(String), "+Inf"].map((le, bucket) => {
      return `${name}_bucket${renderLabels({ le, ...labels })} ${counts[bucket] ?? count}`;
    });
    return [
      ...buckets,
      `${name}_sum${renderLabels(labels)} ${sum}`,
      `${name}_count${renderLabels(labels)} ${count}`,
    ];
  });
  return head(name, help, "histogram", lines);
}

function head(name: string, help: string, type: string, lines: string[]): string {
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...lines, ""].join("\n");
}

/** Nothing needs escaping: all values are our own operations, statuses and verdicts. */
function renderLabels(labels: Labels): string {
  const pairs = Object.entries(labels).map(([label, value]) => `${label}="${value}"`);
  return pairs.length === 0 ? "" : `{${pairs.join(",")}}`;
}
