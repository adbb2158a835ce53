// New files of a store, readable by their owner alone.

import { closeSync, lstatSync, openSync } from "node:fs";
import { giveToOwner } from "../../tools/folder-owner.ts";
import { OperatorError } from "../../tools/operator-error.ts";
import { NEW_FILE } from "../../tools/whole-file.ts";

/**
 * Makes the file where it is missing; SQLite gives its log the rights of the file. One that is there is not opened:
 * closing it would let go of the locks that this process has on it.
 */
export function createMissingFile(path: string): void {
  try {
    const fd = openSync(path, NEW_FILE, 0o600);
    giveToOwner(fd);
    closeSync(fd);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    refuseLink(path);
  }
}

/** SQLite would follow it. */
function refuseLink(path: string): void {
  if (!lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()) return;
  throw new OperatorError(`${path} is a symbolic link, which nothing of this service makes. Remove it.`);
}
