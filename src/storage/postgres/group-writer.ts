// Commits groups of writes: each group shares one transaction under the lock of order.

import { performance } from "node:perf_hooks";
import { ServiceError } from "../../domain/basics/errors.ts";
import { createGroupQueue, type GroupObserver } from "../group-queue.ts";
import type { Connections } from "./connections.ts";
import { asServiceError, unavailable } from "./faults.ts";
import { commitGroup, type GroupJob } from "./group.ts";

/** Larger groups only delay their first write. */
const GROUP_MAX = 256;
/** A write with less time left than this is refused, so that it does not shorten the time of its whole group. */
const LEFT_MIN_MS = 50;
/** The share of the deadline that a group may pause between two statements: 480 ms. */
const IDLE_SHARE = 1 / 3;

interface Job extends GroupJob {
  endMs: number;
  resolve: (value: unknown) => void;
  reject: (error: unknown) => void;
}

interface GroupWriterOptions {
  /** Limits a write, including its wait for the group. */
  deadlineMs: number;
  onCommit: GroupObserver;
  /** Called with the error of a group that was not committed. */
  onFault: (error: unknown) => void;
}

export interface GroupWriter {
  write<T>(work: GroupJob<T>["work"], claim: bigint | undefined): Promise<T>;
  drained(): Promise<void>;
}

export function createGroupWriter(connections: Connections, options: GroupWriterOptions): GroupWriter {
  const { deadlineMs, onCommit, onFault } = options;
  const idleMs = Math.floor(deadlineMs * IDLE_SHARE);
  const queue = createGroupQueue(GROUP_MAX, writeGroup);
  /** The server does not see two claims of one connection as a conflict. */
  const claims = new Set<bigint>();

  async function writeGroup(group: Job[]): Promise<void> {
    const latestMs = performance.now() + LEFT_MIN_MS;
    const jobs = group.filter(({ endMs }) => endMs >= latestMs);
    for (const job of group) if (job.endMs < latestMs) job.reject(unavailable());
    const [oldest] = jobs;
    if (oldest === undefined) return;
    try {
      const waits = { endMs: oldest.endMs, idleMs };
      const outcomes = await connections.lend(waits.endMs, (connection) =>
        commitGroup(connection, jobs, waits),
      );
      onCommit(jobs.length);
      for (const [index, job] of jobs.entries()) {
        const outcome = outcomes[index];
        if (outcome !== undefined && "value" in outcome) job.resolve(outcome.value);
        else job.reject(asServiceError(outcome?.error));
      }
    } catch (error) {
      const fault = asServiceError(error);
      onFault(fault);
      for (const job of jobs) job.reject(fault);
    }
  }

  function enqueue<T>(work: GroupJob<T>["work"], claim: bigint | undefined): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const endMs = performance.now() + deadlineMs;
      queue.add({ work, claim, endMs, resolve: resolve as Job["resolve"], reject });
    });
  }

  return {
    async write(work, claim) {
      if (claim === undefined) return enqueue(work, claim);
      if (claims.has(claim)) throw new ServiceError("idempotency_in_progress");
      claims.add(claim);
      return enqueue(work, claim).finally(() => claims.delete(claim));
    },
    drained: queue.drained,
  };
}
