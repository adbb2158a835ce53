// Copies a whole store into an empty one, from either engine to either engine.

import { requireSchema } from "../command-stores.ts";
import type { Config } from "../config.ts";
import { systemClock } from "../domain/clock.ts";
import { ServiceError } from "../domain/errors.ts";
import { keepCounts, openDatabase, requireStore } from "../engines.ts";
import { type CopiedTable, type CopyProgress, copyAll } from "../storage/copy.ts";
import { migrate } from "../storage/migrations/migrate.ts";
import { createCountStore } from "../storage/stores/key-counts.ts";
import { OperatorError } from "../tools/operator-error.ts";
import { COMMAND } from "../tools/program.ts";

/** The source must not be served meanwhile. */
export async function copyStorage(
  source: Config,
  target: Config,
  onProgress: CopyProgress,
): Promise<CopiedTable[]> {
  const from = await naming("--from", async () => {
    requireStore(source);
    return openDatabase(source, true);
  });
  try {
    await naming("--from", () => requireSchema(from));
    const to = await naming("--to", () => openDatabase(target, true));
    try {
      await naming("--to", () => migrate(to, systemClock.nowMs()));
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

/** Errors of a database advise to set DATABASE_URL, or to run a command, which would use that variable. */
async function naming<T>(option: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const isUnavailable = error instanceof ServiceError && error.code === "unavailable";
    if (!isUnavailable && !(error instanceof OperatorError)) throw error;
    const reason = error.cause instanceof Error ? error.cause.message : error.message;
    const text = isUnavailable
      ? `The database of ${option} cannot be used: ${reason}. To find out how to fix it, run: ${COMMAND} doctor`
      : error.message.replaceAll("DATABASE_URL", option);
    const isCommand = text.includes(`: ${COMMAND} `);
    throw new OperatorError(isCommand ? `${text} (with the address of ${option} as DATABASE_URL)` : text);
  }
}
