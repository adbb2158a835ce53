// Runs wrk and reads its results.

import { execFile } from "node:child_process";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { promisify } from "node:util";

const CONNECTIONS = 64;
/** Enough to measure latency, too few to matter as load. */
const PROBE_CONNECTIONS = 8;
/** After this time the server has accepted all connections of the load. */
const RAMP_UP_MS = 2_000;
/** The probe connects before the load starts. */
const PROBE_LEAD_MS = 200;
/** Some peers need longer than wrk's default of 2 s; a slow response is not an error. */
const TIMEOUT_SECONDS = 10;

export interface Load {
  /** The path of wrk. */
  program: string;
  url: string;
  key: string;
  requestFile: string;
  seconds: number;
}

export interface WrkReport {
  requestsPerSecond: number;
  p50Us: number;
  p99Us: number;
  /** Mean length of a response with its headers. */
  bytesPerResponse: number;
  /** Why the measurement is invalid; absent if every response was good. */
  fault?: string;
}

export function runLoad(load: Load): Promise<WrkReport> {
  return runWrk(load, { connections: CONNECTIONS, script: "requests.lua", args: [] });
}

/** Runs the load, and a probe beside it that measures the latency of the requests in `probeFile`. */
export async function runProbedLoad(
  load: Load,
  probeFile: string,
): Promise<{ report: WrkReport; probe: WrkReport }> {
  const seconds = load.seconds + RAMP_UP_MS / 1000;
  const probing = runWrk(
    { ...load, requestFile: probeFile, seconds },
    {
      connections: PROBE_CONNECTIONS,
      script: "probe.lua",
      args: [String(RAMP_UP_MS), String(PROBE_CONNECTIONS)],
    },
  );
  await pause(PROBE_LEAD_MS);
  const [report, probe] = await Promise.all([runLoad({ ...load, seconds }), probing]);
  return { report, probe };
}

async function runWrk(
  { program, url, key, requestFile, seconds }: Load,
  { connections, script, args }: { connections: number; script: string; args: string[] },
): Promise<WrkReport> {
  const { stdout } = await promisify(execFile)(program, [
    ...["--threads", "1", "--connections", String(connections), "--duration", `${seconds}s`],
    ...["--timeout", `${TIMEOUT_SECONDS}s`, "--header", `Authorization: Bearer ${key}`, "--latency"],
    ...["--script", join(import.meta.dirname, script), url, "--", requestFile, ...args],
  ]);
  const line = stdout.split("\n").find((text) => text.startsWith("{"));
  if (line === undefined) throw new Error(`wrk printed no report for ${url}: ${stdout}`);
  const { requests, bytes, durationUs, statusErrors, lost, late, p50Us, p99Us } = JSON.parse(line);
  const faults = [
    ...(requests === 0 ? ["no responses"] : []),
    ...(statusErrors > 0 ? [`${statusErrors} error responses`] : []),
    ...(lost > 0 ? [`${lost} lost responses`] : []),
    ...(late > 0 ? [`${late} responses later than ${TIMEOUT_SECONDS} s`] : []),
  ];
  return {
    requestsPerSecond: requests / (durationUs / 1e6),
    p50Us,
    p99Us,
    bytesPerResponse: bytes / Math.max(1, requests),
    ...(faults.length > 0 && { fault: faults.join(", ") }),
  };
}
