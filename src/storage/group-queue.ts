// Group commit: writes that wait at the same time are committed together, one group after another.

import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import { ServiceError } from "../domain/basics/errors.ts";

/** Called with the size of each group that was committed. */
export type GroupObserver = (size: number) => void;

/** More waiting writes than these are refused at once, because they would time out. */
const QUEUE_MAX = 4096;

export interface GroupQueue<Job> {
  /** Throws `unavailable` if too many writes wait. */
  add(job: Job): void;
  drained(): Promise<void>;
}

/** `commit` gets at most `groupMax` jobs. It answers each of them, and never rejects. */
export function createGroupQueue<Job>(
  groupMax: number,
  commit: (group: Job[]) => Promise<void>,
): GroupQueue<Job> {
  let queue: Job[] = [];
  let draining: Promise<void> | undefined;

  async function drain(): Promise<void> {
    // One event-loop tick lets writes that are already in the sockets join the group.
    for (await yieldToEventLoop(); queue.length > 0; await yieldToEventLoop()) {
      const group = queue.slice(0, groupMax);
      queue = queue.slice(groupMax);
      await commit(group);
    }
    draining = undefined;
  }

  return {
    add(job) {
      if (queue.length >= QUEUE_MAX) throw new ServiceError("unavailable", { retryAfterSeconds: 1 });
      queue.push(job);
      draining ??= drain();
    },
    drained: async () => draining,
  };
}
