// Runs wrk and reads its results: the load, and a probe that measures latency beside other work.

import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";

const SCRIPT = join(import.meta.dirname, "requests.lua");
/** It runs until it is interrupted. */
const PROBE_FLAGS = "--connections 8 --duration 1h";
/** Before each request, so that the probe does not compete with the work beside it. */
const PROBE_PAUSE_MS = "20";
/** A slow response is not an error. */
const TIMEOUT_SECONDS = 10;

export interface Load {
  wrk: string;
  url: string;
  key: string;
  requestFile: string;
}

export interface Report {
  /** Requests per second. */
  rate: number;
  p99Ms: number;
  /** Mean length of a response with its headers. */
  bytes: number;
  /** The reason why the measurement is invalid; absent if every response was good. */
  fault?: string;
}

export function runLoad(load: Load, seconds: number): Promise<Report> {
  return runWrk(load, `--connections 64 --duration ${seconds}s`).ended;
}

/** Runs until the work beside it has ended. Rejects if that fails. */
export async function runProbe(load: Load, beside: Promise<unknown>): Promise<Report> {
  const probe = runWrk(load, PROBE_FLAGS, PROBE_PAUSE_MS);
  // An interrupted wrk reports as at the end of its time.
  const [report] = await Promise.all([probe.ended, beside.finally(probe.interrupt)]);
  return report;
}

function runWrk({ wrk, url, key, requestFile }: Load, flags: string, ...scriptArgs: string[]) {
  const words = `--threads 1 --latency --timeout ${TIMEOUT_SECONDS}s ${flags} --script`.split(" ");
  const header = `Authorization: Bearer ${key}`;
  const args = [...words, SCRIPT, "--header", header, url, "--", requestFile, ...scriptArgs];
  const running = promisify(execFile)(wrk, args);
  const ended = running.then(({ stdout }) => readReport(stdout));
  return { ended, interrupt: () => void running.child.kill("SIGINT") };
}

function readReport(stdout: string): Report {
  const line = stdout.split("\n").find((text) => text.startsWith("{"));
  if (line === undefined) throw new Error(`wrk printed no report: ${stdout}`);
  const { requests, bytes, durationUs, p99Us, ...faults } = JSON.parse(line);
  const report = { rate: requests / (durationUs / 1e6), p99Ms: p99Us / 1000, bytes: bytes / requests };
  const found = Object.entries(faults).filter(([, count]) => count !== 0);
  const fault = requests === 0 ? "no responses" : found.map(([name, count]) => `${count} ${name}`).join(", ");
  return fault === "" ? report : { ...report, fault };
}
