// Why a SQLite file takes no writes, and what to do about it, in words for operators.

import { accessSync, constants, type Stats, statSync } from "node:fs";
import { dirname } from "node:path";
import SqliteConnection from "better-sqlite3";
import { ServiceError } from "../../domain/errors.ts";
import { ExplainedError } from "../../tools/operator-error.ts";

/** What belongs to a store and has to be writable. */
export const STORE_FILES = ["", "-wal", "-shm", "-serving"];

/** The codes of SQLite, and of the system for the files that we make ourselves. */
const FULL = ["SQLITE_FULL", "ENOSPC", "EDQUOT"];

const ADVICE: Record<string, string> = {
  SQLITE_BUSY: "Another process holds it: end that process.",
  SQLITE_READONLY: "Check that its file system is not mounted read-only.",
  SQLITE_CANTOPEN: "Check that its folder exists and that this user may write there.",
  SQLITE_IOERR: "Look at the disk: the system's log tells more.",
};

/** Undefined for what has nothing to do with the file. */
export function explainSqliteFault(path: string, error: unknown): ExplainedError | undefined {
  const cause = error instanceof ServiceError ? error.cause : error;
  const isOfFile = cause instanceof SqliteConnection.SqliteError || isSystemError(cause);
  if (!isOfFile) return undefined;
  const problem = `${path} takes no writes: ${cause.message}`;
  if (FULL.includes(cause.code ?? "")) return new ExplainedError(problem, "Make room on its disk.");
  const missing = findMissingRight(path);
  if (missing !== undefined) return missing;
  const advice = Object.entries(ADVICE).find(([code]) => cause.code?.startsWith(code))?.[1];
  return advice === undefined ? undefined : new ExplainedError(problem, advice);
}

function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && "syscall" in error;
}

/** Of the folder and the files with these endings. To open a file for a look would let go of the locks that this process has on it. */
export function findMissingRight(path: string, ends = STORE_FILES): ExplainedError | undefined {
  const uid = process.geteuid?.();
  const gid = process.getegid?.();
  if (uid === undefined || uid === 0) return undefined;
  const folder = dirname(path);
  const files = ends.map((end) => `${path}${end}`).filter((file) => !mayWrite(file));
  const [first] = mayWrite(folder) ? files : [folder, ...files];
  if (first === undefined) return undefined;
  const found = statSync(first);
  const what = `${first === folder ? "the folder " : ""}${first}`;
  const problem = `uid ${uid} cannot write ${what}: it belongs to ${nameUser(found.uid)}, mode ${modeOf(found)}`;
  const all = [...(first === folder ? [folder] : []), ...files].join(" ");
  const command = found.uid === uid ? `Run: chmod u+rw ${all}` : `Run as root: chown ${uid}:${gid} ${all}`;
  return new ExplainedError(problem, command);
}

/** As `chmod` takes it. */
export function modeOf({ mode }: Stats): string {
  return `0${(mode & 0o7777).toString(8)}`;
}

/**
 * True also for what is not there, or cannot even be looked at. The system answers for the real user, ACLs included; where
 * root acts as somebody else, owner and mode have to do.
 */
function mayWrite(path: string): boolean {
  try {
    const found = statSync(path, { throwIfNoEntry: false });
    if (found === undefined) return true;
    if (process.getuid?.() === process.geteuid?.()) return isAllowed(path);
    if (found.uid === process.geteuid?.()) return (found.mode & 0o200) !== 0;
    const groups = [process.getegid?.(), ...(process.getgroups?.() ?? [])];
    return (found.mode & (groups.includes(found.gid) ? 0o020 : 0o002)) !== 0;
  } catch {
    return true;
  }
}

/** A file system that is mounted read-only is not a matter of rights. */
function isAllowed(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "EACCES";
  }
}

function nameUser(uid: number): string {
  return uid === 0 ? "root" : `uid ${uid}`;
}
