// Private temporary folders, named after their process, so that the next start finds what a killed process left.

import { lstatSync, readdirSync, rmSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { join } from "node:path";
import { isAlive } from "./atomic-file.ts";
import { temporaryFiles } from "./temporary-files.ts";

const PREFIX = "animal-store-upload-";
const NAME = /^animal-store-upload-(\d{1,10})-\w{6}$/;

/** Only this user can open it. Whoever creates it deletes it with `withTemporaryFiles`. */
export function createTemporaryFolder(parent: string): Promise<string> {
  return mkdtemp(join(parent, `${PREFIX}${process.pid}-`));
}

/** Deletes the folders of this user whose process has ended. */
export function removeLeftFolders(parent: string): void {
  for (const name of readdirSync(parent)) {
    const [, pid] = NAME.exec(name) ?? [];
    const path = join(parent, name);
    if (pid === undefined || isAlive(Number(pid)) || temporaryFiles.has(path)) continue;
    if (lstatSync(path).uid === process.getuid?.()) rmSync(path, { recursive: true, force: true });
  }
}
