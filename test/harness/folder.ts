// A temporary folder, deleted at the end of the test.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";

export function makeFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), "animal-store-test-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
