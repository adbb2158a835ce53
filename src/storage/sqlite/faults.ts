// Classifies SQLite's errors: what they mean to the service, and how operators fix them.

import SqliteConnection from "better-sqlite3";
import { ServiceError } from "../../domain/basics/errors.ts";
import { ExplainedError } from "../../tools/operator-error.ts";
import { quoteWord } from "../../tools/shell-words.ts";
import { findMissingRight } from "./rights.ts";

/** Codes that concern the file or its disk, not our SQL. */
const ENGINE_FAULTS =
  /^SQLITE_(BUSY|LOCKED|FULL|IOERR|CANTOPEN|READONLY|PERM|NOTADB|CORRUPT|NOMEM|PROTOCOL|AUTH|NOLFS)/;

/** From SQLite, and from the system for files that the service creates itself. */
const DISK_FULL = ["SQLITE_FULL", "ENOSPC", "EDQUOT"];

const ADVICE: Record<string, string> = {
  SQLITE_BUSY: "Another process holds it: end that process.",
  SQLITE_READONLY: "Check that its file system is not mounted read-only.",
  SQLITE_CANTOPEN:
    "Check that its folder exists, that this user may write there, and that its file system is not mounted read-only.",
  SQLITE_IOERR: "Check the disk: the system's log has the details.",
};

/** Faults of the engine become `unavailable`; errors in our SQL are returned unchanged. */
export function asServiceError(error: unknown): unknown {
  const isEngineFault = error instanceof SqliteConnection.SqliteError && ENGINE_FAULTS.test(error.code);
  return isEngineFault ? new ServiceError("unavailable", { retryAfterSeconds: 1, cause: error }) : error;
}

export function isBusy(error: unknown): boolean {
  return error instanceof SqliteConnection.SqliteError && error.code.startsWith("SQLITE_BUSY");
}

/** Undefined for errors that do not come from the file. */
export function explainSqliteFault(path: string, error: unknown): ExplainedError | undefined {
  const cause = error instanceof ServiceError ? error.cause : error;
  const isOfFile = cause instanceof SqliteConnection.SqliteError || isSystemError(cause);
  if (!isOfFile) return undefined;
  const problem = `${path} takes no writes: ${cause.message}`;
  if (DISK_FULL.includes(cause.code ?? "")) return new ExplainedError(problem, "Make room on its disk.");
  const missing = explainMissingRight(path);
  if (missing !== undefined) return missing;
  const advice = Object.entries(ADVICE).find(([code]) => cause.code?.startsWith(code))?.[1];
  return advice === undefined ? undefined : new ExplainedError(problem, advice);
}

/** `suffixes` choose files of the store. Undefined if this user may write them and their folder. */
export function explainMissingRight(path: string, suffixes?: string[]): ExplainedError | undefined {
  const missing = findMissingRight(path, suffixes);
  if (missing === undefined) return undefined;
  const { closed, isFolderClosed, ownerUid, mode } = missing;
  const uid = process.geteuid?.();
  const owner = ownerUid === 0 ? "root" : `uid ${ownerUid}`;
  const name = isFolderClosed ? `the folder ${closed[0]}` : closed[0];
  const words = closed.map(quoteWord).join(" ");
  return new ExplainedError(
    `uid ${uid} cannot write ${name}: it belongs to ${owner}, mode ${mode}`,
    ownerUid === uid
      ? `Run: chmod u+rw ${words}`
      : `Run as root: chown ${uid}:${process.getegid?.()} ${words}`,
  );
}

function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && "syscall" in error;
}
