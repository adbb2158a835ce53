// Replaces the files of a folder together: all are written under a temporary name first.

import { existsSync, readdirSync } from "node:fs";
import { mkdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import {
  NEW_FILE,
  partialOf,
  removeLeftovers,
  syncFolder,
  withFile,
  withTemporaryFiles,
} from "./atomic-file.ts";
import { createFolders } from "./folders.ts";
import { trackThreadWork } from "./temporary-files.ts";

export const PRIVATE_FOLDER = 0o700;

type AddFile = (name: string, bytes: Buffer) => Promise<void>;
/** Moves the added files to their names, and deletes older ones that were not added. */
type PublishFiles = () => Promise<void>;

/** Only files whose name matches `own` are deleted. Until `publish` is called, nothing changes. */
export function replaceFiles<T>(
  folder: string,
  own: RegExp,
  work: (add: AddFile, publish: PublishFiles) => Promise<T>,
): Promise<T> {
  const partial = partialOf(folder);
  removeLeftovers(folder);
  return withTemporaryFiles([partial], async () => {
    await trackThreadWork(mkdir(partial, { mode: PRIVATE_FOLDER }));
    return work(
      (name, bytes) =>
        withFile(join(partial, name), NEW_FILE, async (file) => {
          await file.writeFile(bytes);
          await file.sync();
        }),
      async () => {
        createFolders(folder, PRIVATE_FOLDER);
        const old = readdirSync(folder).filter((name) => own.test(name) && !existsSync(join(partial, name)));
        for (const name of readdirSync(partial)) await rename(join(partial, name), join(folder, name));
        for (const name of old) await rm(join(folder, name));
        await syncFolder(folder);
      },
    );
  });
}
