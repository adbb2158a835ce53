// Group commit: writes that wait at the same time are committed together, one group after another.

import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import { ServiceError } from "../domain/basics/errors.ts";
import type { Work } from "./database.ts";

/** Called with the size of each group that was committed. */
export type GroupObserver = (size: number) => void;

/** More waiting writes than these are refused at once, because they would time out. */
const QUEUE_MAX = 4096;

export interface QueuedWrite {
  work: Work<unknown>;
  claim: bigint | undefined;
  /** By `performance.now()`. */
  queuedMs: number;
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

export interface GroupQueue {
  /**
   * Rejects with `idempotency_in_progress` while a write of this process with the same claim is not committed, and with
   * `unavailable` if too many writes wait.
   */
  write<T>(work: Work<T>, claim?: bigint): Promise<T>;
  drained(): Promise<void>;
}

/** `commit` gets at most `groupMax` writes. It answers each of them, and never rejects. */
export function createGroupQueue(
  groupMax: number,
  commit: (group: QueuedWrite[]) => Promise<void>,
): GroupQueue {
  let queue: QueuedWrite[] = [];
  let draining: Promise<void> | undefined;
  const claims = new Set<bigint>();

  async function drain(): Promise<void> {
    // One event-loop tick lets writes that are already in the sockets join the group.
    for (await yieldToEventLoop(); queue.length > 0; await yieldToEventLoop()) {
      const group = queue.slice(0, groupMax);
      queue = queue.slice(groupMax);
      await commit(group);
    }
    draining = undefined;
  }

  const add = <T>(work: Work<T>, claim?: bigint) =>
    new Promise<T>((resolve, reject) => {
      if (queue.length >= QUEUE_MAX) throw new ServiceError("unavailable", { retryAfterSeconds: 1 });
      const queuedMs = performance.now();
      queue.push({ work, claim, queuedMs, resolve: resolve as QueuedWrite["resolve"], reject });
      draining ??= drain();
    });

  return {
    async write(work, claim) {
      if (claim === undefined) return add(work);
      if (claims.has(claim)) throw new ServiceError("idempotency_in_progress");
      claims.add(claim);
      return add(work, claim).finally(() => claims.delete(claim));
    },
    drained: async () => draining,
  };
}
