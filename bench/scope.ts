// Cleans up after a run: stops and deletes everything in reverse order, also after a failure.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";

type Undo = () => unknown;

export interface Scope {
  after(undo: Undo): void;
  close(): Promise<void>;
  /** A folder that is deleted after the run. */
  folder: string;
}

export function openScope(): Scope {
  const undos: Undo[] = [];
  let closing: Promise<void> | undefined;
  const folder = mkdtempSync(join(tmpdir(), "animal-store-bench-"));

  async function undoAll(): Promise<void> {
    for (let undo = undos.pop(); undo !== undefined; undo = undos.pop()) await undo();
  }

  const scope: Scope = {
    folder,
    after(undo) {
      // A signal may arrive while a server starts: that server is stopped at once.
      if (closing !== undefined) void undo();
      else undos.push(undo);
    },
    close() {
      closing ??= undoAll();
      return closing;
    },
  };
  scope.after(() => rmSync(folder, { recursive: true, force: true }));
  return scope;
}

/** The test harness needs a TestContext for its engines; it uses only `after`. */
export function asTest(scope: Scope): TestContext {
  return scope as unknown as TestContext;
}
