// Temporary files that must be deleted when a signal ends the process, also those that another thread is about to create.

import { rmSync } from "node:fs";

/** Paths are added before the file is created, and removed when it is deleted. */
export const temporaryFiles = new Set<string>();
/** Work in other threads that may create one of the files. */
const threadWork = new Set<Promise<unknown>>();
/** Keeps callers that never continue in memory. Otherwise Node would close their open files and report an error. */
const halted: Array<() => void> = [];
let isEnding = false;

/** True once a signal ends the process: long work in another thread must stop soon. */
export function isProcessEnding(): boolean {
  return isEnding;
}

/** Waits for work in another thread. When the process is ending, the caller never continues. */
export async function trackThreadWork<T>(work: Promise<T>): Promise<T> {
  threadWork.add(work);
  try {
    return await work;
  } finally {
    threadWork.delete(work);
    if (isEnding) await new Promise<void>((resolve) => halted.push(resolve));
  }
}

/** Ends the process cleanly. The second pass deletes files that other threads created after the first one. */
export async function removeTemporaryFiles(): Promise<void> {
  isEnding = true;
  removeAll();
  if (threadWork.size === 0) return;
  await Promise.allSettled(threadWork);
  removeAll();
}

function removeAll(): void {
  for (const path of temporaryFiles) {
    try {
      rmSync(path, { recursive: true, force: true });
    } catch {
      // The process ends and cannot report it; the other files can still be deleted.
    }
  }
}
