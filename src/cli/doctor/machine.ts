// Checks of the machine: the disk of a SQLite store, the clock, and the image library.

import { accessSync, constants, statfsSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { findNearest } from "../../files/folders.ts";
import { findImageFault } from "../../images/processor.ts";
import { quoteWord } from "../../tools/shell-words.ts";
import { type Finding, fault, ok, warning } from "./finding.ts";

const DISK_FREE_MIN = 100 * 2 ** 20;
const DISK_FREE_LOW = 2 ** 30;
/** A correct clock is later than the date of this release. */
const RELEASED_MS = Date.UTC(2026, 10, 1);
const CLOCK_TOLERANCE_MS = 60_000;
const CLOCK_ADVICE =
  "The clock is earlier than times in the data, so limits and expiries are wrong. Correct it; use NTP.";
const IMAGE_ADVICE =
  "Install the packages again on this machine, with its optional ones: npm ci, or npm install -g of the package. Everything but adding photos works without them.";

export const PHOTOS_SILENT = warning(
  "photos",
  "images are processed too slowly",
  "Check the load of this machine; adding photos is refused while it is too high.",
);

export function examineDisk(databasePath: string): Finding {
  const folder = findNearest(dirname(resolve(databasePath)));
  const { bavail, bsize } = statfsSync(folder);
  const free = bavail * bsize;
  const detail = `${(free / 2 ** 30).toFixed(1)} GiB free for ${folder}`;
  if (isReadOnly(folder)) {
    const mount = `mount -o remount,rw "$(findmnt -nT ${quoteWord(folder)} -o TARGET)"`;
    const mend = `Set DATABASE_URL to another path, or mount the file system writable: ${mount}`;
    return fault("disk", `${folder} is on a read-only file system`, mend);
  }
  if (free < DISK_FREE_MIN)
    return fault("disk", detail, "Free some space: writes fail when the disk is full.");
  if (free < DISK_FREE_LOW) return warning("disk", detail, "Free some space before the disk is full.");
  return ok("disk", detail);
}

/** The check of writes reports missing rights. */
function isReadOnly(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EROFS";
  }
}

export function examineClock(newestMs: number): Finding {
  const nowMs = Date.now();
  const detail = new Date(nowMs).toISOString();
  const isRight = nowMs >= Math.max(RELEASED_MS, newestMs - CLOCK_TOLERANCE_MS);
  return isRight ? ok("clock", detail) : fault("clock", detail, CLOCK_ADVICE);
}

/** Starts a process, so only once: the packages stay the same while this program runs. */
let imageFault: ReturnType<typeof findImageFault> | undefined;

export async function examinePhotos(): Promise<Finding> {
  imageFault ??= findImageFault();
  return describePhotos(await imageFault);
}

/** `reason`: why no image can be processed; undefined if all is well. */
export function describePhotos(reason: string | undefined): Finding {
  if (reason === undefined) return ok("photos", "images can be processed");
  // The reason of the library has several lines of advice.
  return warning("photos", `images cannot be processed: ${reason.split("\n", 1)[0]}`, IMAGE_ADVICE);
}
