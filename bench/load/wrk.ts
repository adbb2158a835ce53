// Runs wrk and reads its results: the load, and a probe that measures latency beside other work.

import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Bench, Report } from "../bench.ts";
import type { Server } from "../servers/process.ts";

const SCRIPT = join(import.meta.dirname, "requests.lua");
/** The connections of a probe rest before each request, so that it does not compete with the work beside it. */
const PROBE_PAUSE_MS = "20";
/** A slow response is not an error. */
const TIMEOUT_SECONDS = 10;

interface Load extends Pick<Bench, "t" | "wrk">, Pick<Server, "url" | "key"> {
  requestFile: string;
}

export function runLoad(load: Load, seconds: number): Promise<Report> {
  return runWrk(load, `--connections 64 --duration ${seconds}s`).ended;
}

/** Runs until the work beside it has ended. Rejects if that fails. */
export async function runProbe(load: Load, beside: Promise<unknown>): Promise<Report> {
  const probe = runWrk(load, "--connections 8 --duration 1h", PROBE_PAUSE_MS);
  // An interrupted wrk reports as at the end of its time.
  const [report] = await Promise.all([probe.ended, beside.finally(probe.interrupt)]);
  return report;
}

function runWrk({ t, wrk, url, key, requestFile }: Load, flags: string, ...scriptArgs: string[]) {
  const words = `--threads 1 --latency --timeout ${TIMEOUT_SECONDS}s ${flags} --script`.split(" ");
  const header = `Authorization: Bearer ${key}`;
  const args = [...words, SCRIPT, "--header", header, url, "--", requestFile, ...scriptArgs];
  const running = promisify(execFile)(wrk, args);
  const { child } = running;
  t.after(() => child.kill());
  const interrupt = () => {
    // The first signal has no effect if it comes just before wrk begins to wait for the end of its time.
    const timer = setInterval(() => child.kill("SIGINT"), 100);
    child.once("exit", () => clearInterval(timer));
  };
  return { ended: running.then(({ stdout }) => readReport(stdout)), interrupt };
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
