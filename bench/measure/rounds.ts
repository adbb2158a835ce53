// Runs rounds: every lane once, then every lane again, so that a slow minute of the machine affects all lanes.

import { join } from "node:path";
import { type Contender, describeTarget } from "../contenders/contender.ts";
import { watchForeignLoad } from "../foreign-load.ts";
import { checkResponse } from "../load/check.ts";
import { sampleRequests, type Target, writeRequests } from "../load/requests.ts";
import { WORKLOADS, type WorkloadName } from "../load/workloads.ts";
import { type Load, runLoad, runProbedLoad, type WrkReport } from "../load/wrk.ts";
import { showProgress } from "../progress.ts";
import type { Sample } from "../results.ts";
import type { Bench } from "./bench.ts";

interface Task {
  workload: WorkloadName;
  animals: number;
  /** Shown in the progress line. */
  title: string;
}

export async function runRounds(bench: Bench, lanes: Contender[], task: Task): Promise<Sample[]> {
  const samples: Sample[] = [];
  const targets = new Map<Contender, Target>();
  for (const lane of lanes) {
    const target = await describeTarget(lane, task.animals);
    targets.set(lane, target);
    for (const name of filesOf(task.workload)) writeRequests(fileOf(bench, lane, name), name, target);
  }
  // Round 0 is the warm-up; its result is not stored.
  for (let round = 0; round <= bench.rounds; round++) {
    for (const lane of lanes) {
      const sample = await measure(bench, lane, { ...task, round, target: targets.get(lane) as Target });
      const name = round === 0 ? "warm-up" : `round ${round} of ${bench.rounds}`;
      const fault = sample.fault === undefined ? "" : `: INVALID, ${sample.fault}`;
      showProgress(`${task.title}, ${WORKLOADS[task.workload].title}, ${name}, ${lane.name}${fault}`);
      if (round > 0) samples.push(sample);
    }
  }
  return samples;
}

async function measure(
  bench: Bench,
  lane: Contender,
  task: Task & { round: number; target: Target },
): Promise<Sample> {
  const { workload, round, target } = task;
  try {
    await check(lane, workload, target);
    const load = {
      program: bench.wrk,
      url: lane.server.url,
      key: lane.key,
      requestFile: fileOf(bench, lane, workload),
      seconds: round === 0 ? bench.warmUpSeconds : bench.seconds,
    };
    const foreignShare = watchForeignLoad();
    const run = () => (workload === "mix" ? runProbed(load, fileOf(bench, lane, "hot-list")) : runLoad(load));
    const result = await (lane.accompany?.(run, load.seconds) ?? run());
    const conditions = { foreignShare: foreignShare() };
    await lane.server.untilIdle();
    // Again, because wrk counts only statuses from 400 on as errors.
    await check(lane, workload, target);
    return { lane: lane.name, round, ...result, ...conditions };
  } catch (error) {
    const fault = (error as Error).message;
    const none = { requestsPerSecond: 0, p50Us: 0, p99Us: 0, bytesPerResponse: 0, foreignShare: 0 };
    return { lane: lane.name, round, ...none, fault };
  }
}

async function runProbed(load: Load, listFile: string): Promise<WrkReport & { listP99Us: number }> {
  const { report, probe } = await runProbedLoad(load, listFile);
  const fault = report.fault ?? probe.fault;
  return { ...report, listP99Us: probe.p99Us, ...(fault !== undefined && { fault }) };
}

async function check(lane: Contender, workload: WorkloadName, target: Target): Promise<void> {
  await lane.checkHealth?.();
  for (const request of sampleRequests(workload, target))
    await checkResponse(lane.server.url, lane.key, request);
}

/** The probe of the mix requests hot lists. */
function filesOf(workload: WorkloadName): WorkloadName[] {
  return workload === "mix" ? ["mix", "hot-list"] : [workload];
}

function fileOf(bench: Bench, lane: Contender, workload: WorkloadName): string {
  return join(bench.scope.folder, `requests-${lane.name}-${workload}.txt`);
}
