// A signal that ends the process leaves no temporary file, also while another thread is creating one.

import assert from "node:assert/strict";
import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { withTemporaryFiles } from "../../../src/files/atomic-file.ts";
import { removeTemporaryFiles, trackThreadWork } from "../../../src/files/temporary-files.ts";
import { makeFolder } from "../../harness/runner/folder.ts";

setFlagsFromString("--expose-gc");
const collectGarbage: () => void = runInNewContext("gc");

// One test in this file: from here on, this process counts as ending.
test("deletes a file that another thread creates after the signal", async (t) => {
  const folder = makeFolder(t);
  const [early, late] = [join(folder, "store.partial"), join(folder, "store.partial-journal")];
  const { promise: threadWork, resolve: endThreadWork } = Promise.withResolvers<void>();
  let hasContinued = false;
  const held = startWork([early, late], threadWork, () => {
    hasContinued = true;
  });
  assert.equal(existsSync(early), true);

  let isRemoved = false;
  const removed = removeTemporaryFiles().then(() => {
    isRemoved = true;
  });
  assert.equal(existsSync(early), false, "deleted at once");
  writeFileSync(late, "");
  assert.equal(isRemoved, false, "waits for the thread");
  endThreadWork();
  await removed;
  assert.deepEqual(readdirSync(folder), []);
  assert.equal(hasContinued, false, "the interrupted work does not continue");
  await pause(10);
  collectGarbage();
  assert.notEqual(held.deref(), undefined, "its open files are not collected: Node would report an error");
});

/** Work that holds an object until it continues. */
function startWork(paths: [string, string], threadWork: Promise<void>, done: () => void): WeakRef<object> {
  const held = { isOpen: true };
  void withTemporaryFiles(paths, async () => {
    writeFileSync(paths[0], "");
    await trackThreadWork(threadWork);
    held.isOpen = false;
    done();
  });
  return new WeakRef(held);
}
