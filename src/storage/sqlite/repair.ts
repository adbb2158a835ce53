// How to replace a damaged SQLite store: the restore command, with the newest backups that can be found.

import { readdirSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { COMMAND } from "../../tools/program.ts";
import { quoteWord, shortenPath } from "../../tools/shell-words.ts";

const FOLDER = "backups";
const SHOWN_MAX = 3;

/** Looks into the working folder, and beside the store and its folder. */
export function adviseRestore(path: string): string {
  const folders = new Set([process.cwd(), dirname(path), dirname(dirname(path))]);
  const [newest, ...older] = newestFirst([...folders].flatMap((folder) => listFiles(join(folder, FOLDER))));
  if (newest === undefined)
    return `Stop the service, then restore a backup (none was found in a folder ${FOLDER}/ here or beside the store): ${COMMAND} restore FILE --force`;
  const others = older.length === 0 ? "" : ` (older ones: ${older.join(", ")})`;
  return `Stop the service, then restore the newest backup${others}: ${COMMAND} restore ${newest} --force`;
}

/** The operator gave a folder instead of a backup. The store itself may be in it. */
export function adviseBackupIn(folder: string, store: string): string {
  const [newest] = newestFirst(listFiles(folder).filter(({ file }) => resolve(file) !== resolve(store)));
  if (newest === undefined) return "It has no backup: no other file in it ends in .db.";
  return `Restore the newest backup in it: ${COMMAND} restore ${newest}`;
}

interface FoundFile {
  file: string;
  mtimeMs: number;
}

/** Paths, quoted as words of a command. */
function newestFirst(files: FoundFile[]): string[] {
  const sorted = files.toSorted((one, other) => other.mtimeMs - one.mtimeMs);
  return sorted.slice(0, SHOWN_MAX).map(({ file }) => quoteWord(shortenPath(file)));
}

function listFiles(folder: string): FoundFile[] {
  return readFolder(folder)
    .filter((name) => name.endsWith(".db"))
    .flatMap((name) => {
      const file = join(folder, name);
      // Undefined for a link whose target is gone.
      const found = statSync(file, { throwIfNoEntry: false });
      return found?.isFile() ? [{ file, mtimeMs: found.mtimeMs }] : [];
    });
}

/** Empty if the folder is missing or closed to this user: there is nothing to offer. */
function readFolder(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
