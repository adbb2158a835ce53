// Commits groups of writes: each group shares one transaction under the lock of order.

import { performance } from "node:perf_hooks";
import { createGroupQueue, type GroupObserver, type GroupQueue, type QueuedWrite } from "../group-queue.ts";
import type { Connections } from "./connections.ts";
import { asServiceError, unavailable } from "./faults.ts";
import { commitGroup } from "./group.ts";

/** Larger groups only delay their first write. */
const GROUP_MAX = 256;
/** A write with less time left than this is refused, so that it does not shorten the time of its whole group. */
const LEFT_MIN_MS = 50;
/** The share of the deadline that a group may pause between two statements: 480 ms. */
const IDLE_SHARE = 1 / 3;

interface GroupWriterOptions {
  /** Limits a write, including its wait for the group. */
  deadlineMs: number;
  onCommit: GroupObserver;
  /** Called with the error of a group that was not committed. */
  onFault: (error: unknown) => void;
}

export function createGroupWriter(connections: Connections, options: GroupWriterOptions): GroupQueue {
  const { deadlineMs, onCommit, onFault } = options;
  const idleMs = Math.floor(deadlineMs * IDLE_SHARE);

  return createGroupQueue(GROUP_MAX, async (group) => {
    const writes = refuseLate(group, performance.now() + LEFT_MIN_MS - deadlineMs);
    const [oldest] = writes;
    if (oldest === undefined) return;
    const endMs = oldest.queuedMs + deadlineMs;
    try {
      const outcomes = await connections.lend(endMs, (connection) =>
        commitGroup(connection, writes, { endMs, idleMs }),
      );
      onCommit(writes.length);
      for (const [index, { resolve, reject }] of writes.entries()) {
        const outcome = outcomes[index];
        if (outcome !== undefined && "value" in outcome) resolve(outcome.value);
        else reject(asServiceError(outcome?.error));
      }
    } catch (error) {
      const fault = asServiceError(error);
      onFault(fault);
      for (const { reject } of writes) reject(fault);
    }
  });
}

/** Returns the writes that were queued in time. */
function refuseLate(group: QueuedWrite[], earliestMs: number): QueuedWrite[] {
  for (const { queuedMs, reject } of group) if (queuedMs < earliestMs) reject(unavailable());
  return group.filter(({ queuedMs }) => queuedMs >= earliestMs);
}
