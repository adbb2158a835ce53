// Records which files and folders are synced to disk, and whether the final file existed at that moment.

import { existsSync, readlinkSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import type { TestContext } from "node:test";

export interface Sync {
  path: string;
  isPublished: boolean;
}

export async function recordSyncs(t: TestContext, target: string): Promise<Sync[]> {
  const syncs: Sync[] = [];
  // node:fs does not export the class of file handles.
  const handle = await open("/dev/null");
  const prototype: FileHandle = Object.getPrototypeOf(handle);
  await handle.close();
  const { sync } = prototype;
  t.mock.method(prototype, "sync", async function (this: FileHandle) {
    await sync.call(this);
    syncs.push({ path: readlinkSync(`/proc/self/fd/${this.fd}`), isPublished: existsSync(target) });
  });
  return syncs;
}
