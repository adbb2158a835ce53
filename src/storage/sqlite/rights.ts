// Rights on the files of a SQLite store: those that the service lacks, and those that other users should not have.

import { accessSync, constants, existsSync, type Stats, statSync } from "node:fs";
import { dirname } from "node:path";
import { ExplainedError } from "../../tools/operator-error.ts";
import { quoteWord } from "../../tools/shell-words.ts";

/** Suffixes of the files that the service must be able to write. */
const STORE_FILES = ["", "-wal", "-shm", "-serving"];

/**
 * The first right that is missing on the folder or on a file with one of these suffixes. Files are not opened, because
 * closing one would release the locks that this process holds on it.
 */
export function findMissingRight(path: string, suffixes = STORE_FILES): ExplainedError | undefined {
  const uid = process.geteuid?.();
  const gid = process.getegid?.();
  if (uid === undefined || uid === 0) return undefined;
  const folder = dirname(path);
  const files = suffixes.map((suffix) => `${path}${suffix}`).filter((file) => !mayWrite(file));
  const [first] = mayWrite(folder) ? files : [folder, ...files];
  if (first === undefined) return undefined;
  const found = statSync(first);
  const what = `${first === folder ? "the folder " : ""}${first}`;
  const problem = `uid ${uid} cannot write ${what}: it belongs to ${describeUser(found.uid)}, mode ${modeOf(found)}`;
  const all = [...(first === folder ? [folder] : []), ...files].map(quoteWord).join(" ");
  const command = found.uid === uid ? `Run: chmod u+rw ${all}` : `Run as root: chown ${uid}:${gid} ${all}`;
  return new ExplainedError(problem, command);
}

/** Files of the store that other users may use: versions before 1.0.0 left the mode to the umask. Windows has no such modes. */
export function findExposure(path: string): ExplainedError | undefined {
  if (process.platform === "win32") return undefined;
  const open = STORE_FILES.map((suffix) => `${path}${suffix}`).flatMap((file) => {
    const found = statSync(file, { throwIfNoEntry: false });
    return found !== undefined && (found.mode & 0o077) !== 0 ? [{ file, mode: modeOf(found) }] : [];
  });
  if (open.length === 0) return undefined;
  const described = open.map(({ file, mode }) => `${file}, mode ${mode}`).join("; ");
  const files = open.map(({ file }) => quoteWord(file)).join(" ");
  return new ExplainedError(`other users may use ${described}`, `Run: chmod 600 ${files}`);
}

/** In the notation of `chmod`. */
function modeOf({ mode }: Stats): string {
  return `0${(mode & 0o7777).toString(8)}`;
}

/**
 * The system answers, ACLs included. True for files that do not exist or cannot be examined, and for a file system that is
 * mounted read-only: rights are not its problem.
 */
function mayWrite(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "EACCES" || !existsSync(path);
  }
}

function describeUser(uid: number): string {
  return uid === 0 ? "root" : `uid ${uid}`;
}
