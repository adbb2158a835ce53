// Periodic jobs: expire orders whose reservation has ended, delete stored idempotent responses that are too old.

import type { Clock } from "./domain/clock.ts";
import type { IdempotencyStore } from "./domain/idempotency.ts";
import type { OrderStore } from "./domain/order.ts";

/** A reservation must end within 60 s of its time. */
const EVERY_MS = 15_000;

export interface Maintenance {
  /** Does the jobs now; resolves when they are done. */
  run(): Promise<void>;
  /** Waits for a run in progress. */
  stop(): Promise<void>;
}

export function startMaintenance(options: {
  orders: OrderStore;
  idempotency: IdempotencyStore;
  clock: Clock;
  onError: (error: unknown) => void;
}): Maintenance {
  const { orders, idempotency, clock, onError } = options;
  let isStopping = false;
  let running: Promise<void> | undefined;

  /** Each step is a small transaction of its own, so that requests are served in between. */
  async function repeat(step: (nowMs: number) => Promise<number>): Promise<void> {
    while (!isStopping && (await step(clock.nowMs())) > 0);
  }

  async function work(): Promise<void> {
    // Both jobs run even if one fails.
    const outcomes = await Promise.allSettled([repeat(orders.expire), repeat(idempotency.forget)]);
    for (const outcome of outcomes) if (outcome.status === "rejected") throw outcome.reason;
  }

  function run(): Promise<void> {
    running ??= work().finally(() => {
      running = undefined;
    });
    return running;
  }

  const timer = setInterval(() => run().catch(onError), EVERY_MS).unref();
  return {
    run,
    async stop() {
      isStopping = true;
      clearInterval(timer);
      // The caller of run() handles its failure.
      await running?.catch(() => {});
    },
  };
}
