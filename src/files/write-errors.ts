// Explains to operators why a file could not be written.

import { dirname } from "node:path";
import { OperatorError } from "../tools/operator-error.ts";

const SPACE = "Make room on its disk, or choose another folder.";
const RIGHTS = (folder: string) => `Allow this user to write to ${folder}, or choose another folder.`;

/** By the code of the system or of SQLite. */
const ADVICE: Record<string, (folder: string) => string> = {
  ENOSPC: () => SPACE,
  EDQUOT: () => SPACE,
  EFBIG: () => SPACE,
  SQLITE_FULL: () => SPACE,
  EACCES: RIGHTS,
  EPERM: RIGHTS,
  // The system creates no files there, as in /proc.
  ENOENT: () => "Choose another folder: one that exists or can be created.",
  EROFS: (folder) => `${folder} is mounted read-only: choose another folder.`,
};

/**
 * Runs work that writes `file` under another name first. Its failure changes nothing, and the message says so. `folder` is
 * where it writes.
 */
export async function explainingWrites<T>(
  file: string,
  work: () => Promise<T>,
  folder = dirname(file),
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    const advice = Object.hasOwn(ADVICE, code) ? ADVICE[code]?.(folder) : undefined;
    if (advice === undefined) throw error;
    throw new OperatorError(
      `${file} cannot be written: ${reasonOf(error as Error)}. Nothing was changed. ${advice}`,
    );
  }
}

/** The system's message without the call and its path, which may be a temporary one. */
export function reasonOf({ message }: Error): string {
  const [reason = ""] = message.split(",");
  return reason;
}
