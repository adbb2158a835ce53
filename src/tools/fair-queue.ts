// Runs a limited number of jobs at a time, one for each owner. A free slot goes to the owner whose turn is next.

import { performance } from "node:perf_hooks";

interface Limits {
  atOnce: number;
  /** Jobs of one owner that may wait. */
  waitingMax: number;
  /** How long a slot stays free after a job of this duration, so that other work goes first. Absent: not at all. */
  restMs?(workMs: number): number;
}

interface Refusals {
  /** The owner has too many waiting jobs. */
  onFull: () => Error;
  /** The job could not start in time. */
  onTimeout: () => Error;
}

/** A key, or a client address. */
type OwnerId = bigint | string;

/** Runs `work` when it is the turn of `owner`, by `endMs` of `performance.now()`. */
type RunInTurn = <T>(owner: OwnerId, endMs: number, work: () => Promise<T>) => Promise<T>;

interface Owner {
  isRunning: boolean;
  waiting: Set<() => void>;
}

export function createFairQueue(
  { atOnce, waitingMax, restMs }: Limits,
  { onFull, onTimeout }: Refusals,
): RunInTurn {
  let running = 0;
  /** Owners with a running or waiting job, in the order of their turns. */
  const owners = new Map<OwnerId, Owner>();

  function begin(id: OwnerId, owner: Owner): void {
    running += 1;
    owner.isRunning = true;
    owners.set(id, owner);
  }

  function end(id: OwnerId, owner: Owner): void {
    running -= 1;
    owner.isRunning = false;
    // Its next turn comes after all other owners.
    owners.delete(id);
    if (owner.waiting.size > 0) owners.set(id, owner);
    startNext();
  }

  /** Short: every owner in the loop has a waiting job, except those that are running. */
  function startNext(): void {
    for (const [id, owner] of owners) {
      const [start] = owner.waiting;
      if (owner.isRunning || start === undefined) continue;
      begin(id, owner);
      start();
      return;
    }
  }

  return async (id, endMs, work) => {
    const owner = owners.get(id) ?? { isRunning: false, waiting: new Set() };
    if (running < atOnce && !owner.isRunning) begin(id, owner);
    else if (owner.waiting.size >= waitingMax) throw onFull();
    else {
      owners.set(id, owner);
      await waitIn(owner.waiting, endMs, () => {
        if (!owner.isRunning && owner.waiting.size === 0) owners.delete(id);
        return onTimeout();
      });
    }
    const startMs = performance.now();
    try {
      return await work();
    } finally {
      const rest = restMs?.(performance.now() - startMs);
      if (rest === undefined) end(id, owner);
      else setTimeout(end, rest, id, owner);
    }
  };
}

/** Resolves when the function that it adds to `waiting` is called; it is removed then, or at `endMs`. */
function waitIn(waiting: Owner["waiting"], endMs: number, onTimeout: () => Error): Promise<void> {
  return new Promise((resolve, reject) => {
    const start = () => {
      clearTimeout(timer);
      waiting.delete(start);
      resolve();
    };
    const timer = setTimeout(() => {
      waiting.delete(start);
      reject(onTimeout());
    }, endMs - performance.now());
    waiting.add(start);
  });
}

/** Limits the jobs at a time without owners. They start in their order, or fail with `onTimeout` at `endMs`. */
export function createSemaphore(max: number, onTimeout: () => Error) {
  const run = createFairQueue({ atOnce: max, waitingMax: 1 }, { onFull: onTimeout, onTimeout });
  let jobs = 0n;
  return <T>(endMs: number, work: () => Promise<T>): Promise<T> => {
    jobs += 1n;
    return run(jobs, endMs, work);
  };
}
