// All that a run starts and makes, taken down again in the opposite order, whatever happens.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";

type Undo = () => unknown;

export interface Scope {
  after(undo: Undo): void;
  close(): Promise<void>;
  /** A folder that is gone when the run is. */
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
      // A signal may come while something starts: that goes at once.
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

/** The tests' engines ask for a test to end with; all that they use of it is `after`. */
export function asTest(scope: Scope): TestContext {
  return scope as unknown as TestContext;
}
