// Knows for /readyz whether the database accepts writes: from the service's own writes, and from test writes without them.

import { setTimeout as pause } from "node:timers/promises";
import type { Database } from "./database.ts";

/** While writes succeed, they are tested at most this often. */
const TEST_EVERY_MS = 5_000;
/** A readiness probe waits this long for a test; the next probe sees its result. */
const WAIT_MS = 200;

export interface WriteWatch {
  /** False while writes fail. */
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
