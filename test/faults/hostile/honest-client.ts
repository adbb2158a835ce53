// A client that sends only valid requests, in its own thread, so that the attackers do not slow it down.

import { performance } from "node:perf_hooks";
import { setTimeout as pause } from "node:timers/promises";
import { parentPort, workerData } from "node:worker_threads";
import { call } from "../../harness/clients/call.ts";

export interface HonestReport {
  requests: number;
  slowestMs: number;
  slowest: string;
  failures: string[];
}

const LATENESS_CHECK_MS = 20;
const REST_MS = 10;

const { url, key } = workerData as { url: string; key: string };
const report: HonestReport = { requests: 0, slowestMs: 0, slowest: "", failures: [] };
const STEPS: Array<[string, string, number, object?]> = [
  ["GET", "/v1/pets", 200],
  ["POST", "/v1/pets", 201, { name: "Rex", categoryId: 1 }],
  ["GET", "/v1/usage", 200],
  ["GET", "/openapi.json", 200],
  ["GET", "/healthz", 200],
];

/** How late the timers of this thread were since the last call: a delay of the machine, not of the service. */
let latenessMs = 0;
let dueMs = performance.now() + LATENESS_CHECK_MS;
setInterval(() => {
  latenessMs = Math.max(latenessMs, performance.now() - dueMs);
  dueMs = performance.now() + LATENESS_CHECK_MS;
}, LATENESS_CHECK_MS).unref();

let isRunning = true;
parentPort?.once("message", () => {
  isRunning = false;
});

while (isRunning) {
  for (const [method, path, expected, body] of STEPS) {
    latenessMs = 0;
    const startMs = performance.now();
    const outcome = await call(method, url + path, { key, body }).then(
      ({ status }) => (status === expected ? undefined : `status ${status}`),
      (error: Error) => error.message,
    );
    const ms = performance.now() - startMs - latenessMs;
    report.requests += 1;
    if (outcome !== undefined) report.failures.push(`${method} ${path}: ${outcome}`);
    if (ms > report.slowestMs) Object.assign(report, { slowestMs: ms, slowest: `${method} ${path}` });
    await pause(REST_MS);
  }
}
parentPort?.postMessage(report);
parentPort?.close();
