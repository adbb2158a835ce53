// Whether the database takes writes, for /readyz: known from the service's own writes, and tested where nobody writes.

import { setTimeout as pause } from "node:timers/promises";
import type { Database } from "./database.ts";

/** A database that took the last write is tested this often at most. */
const TEST_EVERY_MS = 5_000;
/** A probe of a load balancer does not wait longer for a test; the next one sees its result. */
const WAIT_MS = 200;

export interface WriteWatch {
  /** False as long as writes fail. */
  isWritable(): Promise<boolean>;
}

/** `nowMs` is a clock that never goes back. */
export function createWriteWatch(
  db: Pick<Database, "canWrite" | "testWrite">,
  nowMs: () => number = () => performance.now(),
): WriteWatch {
  let hasPassed = true;
  let testedMs = nowMs();
  let running: Promise<void> | undefined;

  async function test(): Promise<void> {
    testedMs = nowMs();
    hasPassed = await db.testWrite().then(
      () => true,
      () => false,
    );
    running = undefined;
  }

  return {
    async isWritable() {
      const isKnownGood = hasPassed && db.canWrite();
      if (!isKnownGood || nowMs() - testedMs >= TEST_EVERY_MS) {
        running ??= test();
        await Promise.race([running, pause(WAIT_MS, undefined, { ref: false })]);
      }
      return hasPassed && db.canWrite();
    },
  };
}
