// Copies a whole store into an empty one, from either engine to either engine.

import { requireSchema } from "../command-stores.ts";
import type { Config } from "../config/config.ts";
import { systemClock } from "../domain/basics/clock.ts";
import { ServiceError } from "../domain/basics/errors.ts";
import { COMMAND_DEADLINE_MS, keepCounts, openDatabase, requireStore } from "../engines.ts";
import { type CopiedTable, type CopyProgress, copyAll } from "../storage/copy.ts";
import { migrate } from "../storage/migrations/migrate.ts";
import { createCountStore } from "../storage/stores/usage/key-counts.ts";
import { OperatorError } from "../tools/operator-error.ts";
import { COMMAND } from "../tools/program.ts";

/** One of the two databases, and the option or variable that names it. */
export interface CopyEnd {
  name: string;
  config: Config;
}

/** The source must not be served during the copy. */
export async function copyStorage(
  { name: fromName, config: source }: CopyEnd,
  { name: toName, config: target }: CopyEnd,
  onProgress: CopyProgress,
): Promise<CopiedTable[]> {
  const from = await naming(fromName, async () => {
    requireStore(source);
    return openDatabase(source, true, { deadlineMs: COMMAND_DEADLINE_MS });
  });
  try {
    await naming(fromName, () => requireSchema(from));
    const to = await naming(toName, () => openDatabase(target, true, { deadlineMs: COMMAND_DEADLINE_MS }));
    try {
      await naming(toName, () => migrate(to, systemClock.nowMs()));
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
async function naming<T>(name: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const isUnavailable = error instanceof ServiceError && error.code === "unavailable";
    if (!isUnavailable && !(error instanceof OperatorError)) throw error;
    const reason = error.cause instanceof Error ? error.cause.message : error.message;
    const text = isUnavailable
      ? `The database of ${name} cannot be used: ${reason}. To find out how to fix it, run: ${COMMAND} doctor`
      : error.message.replaceAll("DATABASE_URL", name);
    const isCommand = text.includes(`: ${COMMAND} `);
    const isOther = isCommand && name !== "DATABASE_URL";
    throw new OperatorError(isOther ? `${text} (with the address of ${name} as DATABASE_URL)` : text);
  }
}
