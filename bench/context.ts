// The life of the servers and folders of a run, in the form that the test harness expects, and its progress.

import type { TestContext } from "node:test";

const startMs = Date.now();
const open = new Set<AsyncDisposableStack>();

/** Undoes in reverse order what was registered with `after`, also after a failure; at once if a signal has ended the run. */
export async function withContext<T>(use: (t: TestContext) => Promise<T>): Promise<T> {
  await using undos = new AsyncDisposableStack();
  open.add(undos);
  const after = (undo: () => void) => (undos.disposed ? undo() : undos.defer(undo));
  return await use({ after } as TestContext);
}

export async function closeAll(signal: string): Promise<void> {
  showProgress(`${signal}: cleaning up`);
  for (const undos of [...open].reverse()) await undos.disposeAsync();
}

export function showProgress(text: string): void {
  const time = new Date(Date.now() - startMs).toISOString().slice(11, 19);
  process.stderr.write(`${time}  ${text}\n`);
}
