// Runs rounds: every lane once, then every lane again, so that a slow minute of the machine affects all lanes.

import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { Bench, Sample } from "../bench.ts";
import { showProgress } from "../context.ts";
import { untilQuiet, watchForeignLoad } from "../machine/cpu-use.ts";
import type { Server } from "../servers/process.ts";
import { getWorkload, type Workload } from "../workloads.ts";
import { checkResponses, writeRequests } from "./requests.ts";
import { runLoad, runProbe } from "./wrk.ts";

/** After this time the server has accepted all connections of the load. */
const RAMP_UP_SECONDS = 1;
/** Ids, names and remaining counts differ in length between two requests. A wrong response differs by much more. */
const BYTES_TOLERANCE = 0.05;

/** One of the things that are compared, measured once in each round. */
export interface Lane {
  name: string;
  measure(isWarmUp: boolean): Promise<Partial<Sample>>;
}

export async function runRounds(bench: Bench, workload: string, lanes: Lane[]): Promise<Sample[]> {
  const { engine, rounds } = bench;
  const samples: Sample[] = [];
  // Round 0 is the warm-up; its result is not stored.
  for (let round = 0; round <= rounds; round++)
    // A machine that becomes slower or faster affects all lanes alike.
    for (const { name: lane, measure } of round % 2 === 0 ? lanes : lanes.toReversed()) {
      const foreignShare = watchForeignLoad();
      const measured = await measure(round === 0).catch((error: Error) => ({ fault: error.message }));
      const sample: Sample = { engine, workload, lane, round, ...measured, foreignShare: foreignShare() };
      const fault = sample.fault === undefined ? "" : `: INVALID, ${sample.fault}`;
      showProgress(`${engine}, ${workload}, round ${round} of ${rounds}, ${lane}${fault}`);
      if (round > 0) samples.push(sample);
    }
  return markUnequalBytes(samples);
}

/** Measures the workload on a server. */
export async function createLane(
  { t, wrk, warmUpSeconds, seconds, folder }: Bench,
  { name, server, workload }: { name: string; server: Server; workload: Workload },
): Promise<Lane> {
  const load = {
    t,
    wrk,
    url: server.url,
    key: server.key,
    requestFile: join(folder, `requests-${name}.txt`),
  };
  const probeLoad = { ...load, requestFile: join(folder, `requests-${name}-probe.txt`) };
  await writeRequests(load.requestFile, workload, server);
  if (workload.probe) await writeRequests(probeLoad.requestFile, getWorkload("hot-list"), server);

  async function runProbed(): Promise<Partial<Sample>> {
    const loading = runLoad(load, seconds + RAMP_UP_SECONDS);
    const probing = pause(RAMP_UP_SECONDS * 1000).then(() => runProbe(probeLoad, loading));
    const [report, probe] = await Promise.all([loading, probing]);
    return { ...probe, ...report, probeMs: probe.p99Ms };
  }

  async function measure(isWarmUp: boolean): Promise<Partial<Sample>> {
    await checkResponses(workload, server);
    const hasProbe = workload.probe !== undefined && !isWarmUp;
    const report = await (hasProbe ? runProbed() : runLoad(load, isWarmUp ? warmUpSeconds : seconds));
    // The rest of this load would disturb the next measurement.
    await untilQuiet(100);
    // Again, because wrk counts only statuses from 400 on as errors.
    await checkResponses(workload, server);
    return report;
  }

  return { name, measure };
}

/** Marks the samples of the bare server as invalid whose responses have another mean length than the service's. */
export function markUnequalBytes(samples: Sample[]): Sample[] {
  return samples.map((sample) => {
    const service = samples.find(({ lane, round }) => lane === "service" && round === sample.round);
    const [own, wanted] = [sample.bytes ?? 0, service?.bytes ?? 0];
    const isEqual = Math.abs(own - wanted) <= wanted * BYTES_TOLERANCE;
    if (sample.lane !== "bare" || isEqual || (sample.fault ?? service?.fault) !== undefined) return sample;
    return { ...sample, fault: `${Math.round(own)} bytes per response instead of ${Math.round(wanted)}` };
  });
}
