// What the service counts about itself, in Prometheus' text format.

import type { Verdict } from "../../domain/keys/limits.ts";
import { createHistogram, type Histogram, renderCounter, renderHistogram } from "./prometheus.ts";

const SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];
const GROUP_SIZES = [1, 2, 4, 8, 16, 32, 64];

/** The bound that a connection was beyond: MAX_CONNECTIONS, or MAX_CONNECTIONS_PER_ADDRESS. */
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
  let ofProcess: Promise<{ metrics(): Promise<string> }> | undefined;
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
      renderCounter("animal_store_requests_total", "Answers by operation and status.", requests),
      renderHistogram(
        "animal_store_request_seconds",
        "Time from the request's head to the end of its answer.",
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
      renderCounter("animal_store_log_lines_dropped_total", "Log lines that standard error did not take.", [
        { labels: {}, count: logLinesDropped() },
      ]),
      renderCounter(
        "animal_store_connections_rejected_total",
        "Connections beyond a bound, closed unread.",
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
      ofProcess ??= watchProcess();
      return `${await (await ofProcess).metrics()}\n${render()}`;
    },
    contentType: "text/plain; version=0.0.4; charset=utf-8",
  };
}

/** The delay of the event loop and the memory of the process, from the first question on: a start need not wait for it. */
async function watchProcess(): Promise<{ metrics(): Promise<string> }> {
  const { collectDefaultMetrics, Registry } = await import("prom-client");
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  return registry;
}
