// The process that converts one image: its bytes from standard input, the result to standard output.

import { writeFileSync } from "node:fs";
import { buffer } from "node:stream/consumers";
import { convertImage, InvalidImageError, loadSharp } from "./convert.ts";
import { type WorkerResult, writeResult } from "./result.ts";

export const WORKER_FILE = import.meta.filename;

/** The service ends a slow worker earlier. This is for a worker that has outlived the service. */
const LIFETIME_MS = 60_000;

async function work(): Promise<WorkerResult> {
  const bytes = await buffer(process.stdin);
  let sharp: Awaited<ReturnType<typeof loadSharp>>;
  try {
    sharp = await loadSharp();
  } catch (error) {
    return { unavailable: (error as Error).message };
  }
  try {
    return { image: await convertImage(sharp, bytes) };
  } catch (error) {
    if (error instanceof InvalidImageError) return { invalid: error.message };
    throw error;
  }
}

/** Where memory is short, Linux ends this process and not the service. */
function offerToOutOfMemoryKiller(): void {
  try {
    writeFileSync("/proc/self/oom_score_adj", "1000");
  } catch {
    // Not Linux, or not allowed.
  }
}

if (import.meta.main) {
  // Ctrl-C and systemd signal every process of the service. It finishes running requests, so their images must be finished, too.
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => {});
  // Not an orderly exit, which waits for the image library.
  setTimeout(() => process.kill(process.pid, "SIGKILL"), LIFETIME_MS).unref();
  offerToOutOfMemoryKiller();
  process.stdout.write(writeResult(await work()));
}
