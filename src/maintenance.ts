// What the service does by itself now and then: ends the holds of orders, forgets answers that were kept long enough.

import type { Clock } from "./domain/clock.ts";
import type { IdempotencyStore } from "./domain/idempotency.ts";
import type { OrderStore } from "./domain/order.ts";

/** A hold ends on time within 60 s. */
const EVERY_MS = 15_000;

export interface Maintenance {
  /** Does at once what the timer does; resolves when all is done. */
  run(): Promise<void>;
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

  /** In small steps, each a transaction of its own, so that requests go on in between. */
  async function repeat(step: (nowMs: number) => Promise<number>): Promise<void> {
    while (!isStopping && (await step(clock.nowMs())) > 0);
  }

  async function work(): Promise<void> {
    // One that fails does not keep the other from its work.
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
      // Who started it hears of its failure.
      await running?.catch(() => {});
    },
  };
}
