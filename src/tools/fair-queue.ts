// Runs a limited number of jobs at a time, one for each owner. A place that becomes free goes to the owner whose turn is next.

import { performance } from "node:perf_hooks";

interface Limits {
  atOnce: number;
  /** Jobs of one owner that may wait. */
  waitingMax: number;
}

interface Refusals {
  /** The owner has too many waiting jobs. */
  onFull: () => Error;
  /** The job could not start in time. */
  onTimeout: () => Error;
}

/** Runs `work` when it is the turn of `owner`, by `endMs` of `performance.now()`. */
export type RunInTurn = <T>(owner: bigint, endMs: number, work: () => Promise<T>) => Promise<T>;

interface Owner {
  isRunning: boolean;
  /** In their order. */
  waiting: Set<() => void>;
}

export function createFairQueue({ atOnce, waitingMax }: Limits, { onFull, onTimeout }: Refusals): RunInTurn {
  let running = 0;
  /** Those with a running or waiting job, in the order of their turns. */
  const owners = new Map<bigint, Owner>();

  function begin(id: bigint, owner: Owner): void {
    running += 1;
    owner.isRunning = true;
    owners.set(id, owner);
  }

  function end(id: bigint, owner: Owner): void {
    running -= 1;
    owner.isRunning = false;
    // Its next turn comes after everybody else's.
    owners.delete(id);
    if (owner.waiting.size > 0) owners.set(id, owner);
    startNext();
  }

  /** Short: every owner in the loop has a waiting job, except those that are running. */
  function startNext(): void {
    for (const [id, owner] of owners) {
      const [start] = owner.waiting;
      if (owner.isRunning || start === undefined) continue;
      owner.waiting.delete(start);
      begin(id, owner);
      start();
      return;
    }
  }

  /** Resolves when `begin` was called for the job. */
  function waitFor(id: bigint, owner: Owner, endMs: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const start = () => {
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(() => {
        owner.waiting.delete(start);
        if (!owner.isRunning && owner.waiting.size === 0) owners.delete(id);
        reject(onTimeout());
      }, endMs - performance.now());
      owner.waiting.add(start);
      owners.set(id, owner);
    });
  }

  return async (id, endMs, work) => {
    const owner = owners.get(id) ?? { isRunning: false, waiting: new Set() };
    if (running < atOnce && !owner.isRunning) begin(id, owner);
    else if (owner.waiting.size < waitingMax) await waitFor(id, owner, endMs);
    else throw onFull();
    try {
      return await work();
    } finally {
      end(id, owner);
    }
  };
}
