// Checks of the machine: the disk of a SQLite store, and the clock.

import { accessSync, constants, statfsSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { findNearest } from "../../files/folders.ts";
import { quoteWord } from "../../tools/shell-words.ts";
import { type Finding, fault, ok, warning } from "./finding.ts";

const DISK_FREE_MIN = 100 * 2 ** 20;
const DISK_FREE_LOW = 2 ** 30;
/** A correct clock is later than the date of this release. */
const RELEASED_MS = Date.UTC(2026, 10, 1);
const CLOCK_TOLERANCE_MS = 60_000;

export function examineDisk(databasePath: string): Finding {
  const folder = findNearest(dirname(resolve(databasePath)));
  const { bavail, bsize } = statfsSync(folder);
  const free = bavail * bsize;
  const detail = `${(free / 2 ** 30).toFixed(1)} GiB free for ${folder}`;
  const reason = findWriteRefusal(folder);
  if (reason === "EROFS") {
    return fault(
      "disk",
      `${folder} is on a read-only file system`,
      `Set DATABASE_URL to another place, or mount it writable: mount -o remount,rw "$(findmnt -nT ${quoteWord(folder)} -o TARGET)"`,
    );
  }
  if (reason !== undefined) {
    return fault(
      "disk",
      `${folder} cannot be written`,
      "Allow this user to write there, or set DATABASE_URL to another place.",
    );
  }
  if (free < DISK_FREE_MIN)
    return fault("disk", detail, "Free some space: writes fail when the disk is full.");
  return free < DISK_FREE_LOW
    ? warning("disk", detail, "Free some space before the disk is full.")
    : ok("disk", detail);
}

/** The system's code, such as EROFS or EACCES. */
function findWriteRefusal(folder: string): string | undefined {
  try {
    accessSync(folder, constants.W_OK);
    return undefined;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code;
  }
}

export function examineClock(newestMs: number): Finding {
  const nowMs = Date.now();
  const detail = new Date(nowMs).toISOString();
  if (nowMs >= Math.max(RELEASED_MS, newestMs - CLOCK_TOLERANCE_MS)) return ok("clock", detail);
  const mend =
    "The clock is behind the times in the data, so limits and expiries are wrong. Correct it; use NTP.";
  return fault("clock", detail, mend);
}
