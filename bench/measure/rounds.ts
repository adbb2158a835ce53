// Runs rounds: every lane once, then every lane again, so that a slow minute of the machine affects all lanes.

import { join } from "node:path";
import type { Contender } from "../contenders/contender.ts";
import { watchForeignLoad } from "../foreign-load.ts";
import { checkResponse } from "../load/check.ts";
import { sampleRequests, writeRequests } from "../load/requests.ts";
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
  for (const lane of lanes) prepareFiles(bench, lane, task);
  // Round 0 is the warm-up; its result is not stored.
  for (let round = 0; round <= bench.rounds; round++) {
    for (const lane of lanes) {
      const sample = await measure(bench, lane, { ...task, round });
      const name = round === 0 ? "warm-up" : `round ${round} of ${bench.rounds}`;
      const fault = sample.fault === undefined ? "" : `: INVALID, ${sample.fault}`;
      showProgress(`${task.title}, ${WORKLOADS[task.workload].title}, ${name}, ${lane.name}${fault}`);
      if (round > 0) samples.push(sample);
    }
  }
  return samples;
}

async function measure(bench: Bench, lane: Contender, task: Task & { round: number }): Promise<Sample> {
  const { workload, round } = task;
  try {
    await check(lane, task);
    const load = {
      program: bench.wrk,
      url: lane.server.url,
      key: lane.key,
      requestFile: fileOf(bench, lane, workload),
      seconds: round === 0 ? bench.warmUpSeconds : bench.seconds,
    };
    const foreignShare = watchForeignLoad();
    const result =
      workload === "mix" ? await runProbed(load, fileOf(bench, lane, "hot-list")) : await runLoad(load);
    const conditions = { foreignShare: foreignShare() };
    await lane.server.untilIdle();
    await lane.checkHealth?.();
    return { lane: lane.name, round, ...result, ...conditions };
  } catch (error) {
    const fault = (error as Error).message;
    return { lane: lane.name, round, requestsPerSecond: 0, p50Us: 0, p99Us: 0, foreignShare: 0, fault };
  }
}

async function runProbed(load: Load, listFile: string): Promise<WrkReport & { listP99Us: number }> {
  const { report, probe } = await runProbedLoad(load, listFile);
  const fault = report.fault ?? probe.fault;
  return { ...report, listP99Us: probe.p99Us, ...(fault !== undefined && { fault }) };
}

async function check(lane: Contender, { workload, animals }: Task): Promise<void> {
  await lane.checkHealth?.();
  for (const request of sampleRequests(workload, lane.addresses, lane.animals ?? animals))
    await checkResponse(lane.server.url, lane.key, request);
}

function prepareFiles(bench: Bench, lane: Contender, { workload, animals }: Task): void {
  for (const name of workload === "mix" ? (["mix", "hot-list"] as const) : [workload])
    writeRequests(fileOf(bench, lane, name), name, lane.addresses, lane.animals ?? animals);
}

function fileOf(bench: Bench, lane: Contender, workload: WorkloadName): string {
  return join(bench.scope.folder, `requests-${lane.name}-${workload}.txt`);
}
