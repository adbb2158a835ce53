// What the service counts about itself, in Prometheus' text format.

import { Counter, collectDefaultMetrics, Histogram, Registry } from "prom-client";
import type { Verdict } from "../domain/limits.ts";

export interface Metrics {
  countRequest(operation: string, status: number, seconds: number): void;
  countDecision(caller: "key" | "stranger", verdict: Verdict): void;
  countCommit(groupSize: number): void;
  render(): Promise<string>;
  contentType: string;
}

export function createMetrics(): Metrics {
  const registry = new Registry();
  const registers = [registry];
  // Among them the delay of the event loop and the memory of the process.
  collectDefaultMetrics({ register: registry });

  const requests = new Counter({
    name: "animal_store_requests_total",
    help: "Answers by operation and status.",
    labelNames: ["operation", "status"] as const,
    registers,
  });
  const latency = new Histogram({
    name: "animal_store_request_seconds",
    help: "Time from the request's head to the end of its answer.",
    labelNames: ["operation"] as const,
    buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
    registers,
  });
  const decisions = new Counter({
    name: "animal_store_gate_decisions_total",
    help: "Decisions of the gate by caller and verdict.",
    labelNames: ["caller", "verdict"] as const,
    registers,
  });
  const groups = new Histogram({
    name: "animal_store_commit_group_size",
    help: "Write transactions that shared one commit.",
    buckets: [1, 2, 4, 8, 16, 32, 64],
    registers,
  });

  return {
    countRequest(operation, status, seconds) {
      requests.inc({ operation, status });
      latency.observe({ operation }, seconds);
    },
    countDecision: (caller, verdict) => decisions.inc({ caller, verdict }),
    countCommit: (groupSize) => groups.observe(groupSize),
    render: () => registry.metrics(),
    contentType: registry.contentType,
  };
}
