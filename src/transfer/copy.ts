// Copies a whole store into an empty one, from either engine to either engine.

import { requireSchema } from "../command-stores.ts";
import type { Config } from "../config.ts";
import { systemClock } from "../domain/clock.ts";
import { keepCounts, openDatabase, requireStore } from "../engines.ts";
import { type CopiedTable, type CopyProgress, copyAll } from "../storage/copy.ts";
import { migrate } from "../storage/migrations/migrate.ts";
import { createCountStore } from "../storage/stores/key-counts.ts";

/** The source must not be served meanwhile. */
export async function copyStorage(
  source: Config,
  target: Config,
  onProgress: CopyProgress,
): Promise<CopiedTable[]> {
  requireStore(source);
  const from = await openDatabase(source, true);
  try {
    await requireSchema(from);
    const to = await openDatabase(target, true);
    try {
      await migrate(to, systemClock.nowMs());
      // First, because it can be repeated: once the target holds data, a copy is refused.
      await keepCounts(target, await createCountStore(from).readAll());
      return await copyAll(from, to, onProgress);
    } finally {
      await to.close();
    }
  } finally {
    await from.close();
  }
}
