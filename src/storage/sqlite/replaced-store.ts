// The store that a restore finds in its place: refused while it holds anything, or kept under another name.

import {
  chmodSync,
  constants,
  copyFileSync,
  existsSync,
  linkSync,
  lstatSync,
  renameSync,
  rmSync,
} from "node:fs";
import SqliteConnection from "better-sqlite3";
import { OperatorError } from "../../tools/operator-error.ts";
import { isBusy } from "./faults.ts";
import { refuseForeignFile } from "./identity.ts";
import { countRows } from "./verify.ts";

const OPEN_WAIT_MS = 500;

/** A store without a row, as the first start leaves none, may go. */
export function refuseFilled(path: string): void {
  if (!existsSync(path)) return;
  const advice = "Replace it with --force; the old one is kept beside it.";
  const connection = new SqliteConnection(path, { timeout: OPEN_WAIT_MS });
  try {
    const counts = Object.entries(countRows(connection)).filter(([, count]) => count > 0);
    if (counts.length === 0) return;
    const held = counts.map(([word, count]) => `${word} ${count}`).join(", ");
    throw new OperatorError(`${path} is a store already (${held}). ${advice}`);
  } catch (error) {
    if (!(error instanceof SqliteConnection.SqliteError)) throw error;
    throw new OperatorError(`${path} is there already and cannot be read: ${error.message}. ${advice}`);
  } finally {
    connection.close();
  }
}

/** Not replaced with --force either. What cannot be read as a database is not known to be anybody's. */
export function refuseForeignStore(path: string): void {
  if (!existsSync(path)) return;
  try {
    refuseForeignFile(path);
  } catch (error) {
    if (!(error instanceof SqliteConnection.SqliteError)) throw error;
  }
}

/** Gives the old store a second name; it loses the first when the new one takes it. Undefined where there is none. */
export function keepOld(path: string): string | undefined {
  const kept = freeName(`${path}.before-restore`);
  const isThere = existsSync(path);
  if (isThere) closeLog(path);
  // Left by a store that cannot be opened or is gone. The new one would take them for its own.
  for (const log of ["-wal", "-journal"]) {
    if (existsSync(`${path}${log}`)) renameSync(`${path}${log}`, `${kept}${log}`);
  }
  rmSync(`${path}-shm`, { force: true });
  if (!isThere) return undefined;
  try {
    linkSync(path, kept);
  } catch {
    // Some disks know no second names.
    copyFileSync(path, kept, constants.COPYFILE_EXCL);
  }
  // Stores of older releases were readable by others.
  chmodSync(kept, 0o600);
  return kept;
}

/** Brings the log into the file, which works only while nobody else has it open. */
function closeLog(path: string): void {
  const connection = new SqliteConnection(path, { timeout: OPEN_WAIT_MS });
  try {
    connection.pragma("journal_mode = DELETE");
  } catch (error) {
    if (isBusy(error))
      throw new OperatorError(`Another process still has ${path} open. End it, then run this again.`);
    // One that is damaged is kept as it is.
    if (!(error instanceof SqliteConnection.SqliteError)) throw error;
  } finally {
    connection.close();
  }
}

function freeName(wanted: string): string {
  const isThere = (path: string) => lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  const isTaken = (name: string) => ["", "-wal", "-journal"].some((end) => isThere(`${name}${end}`));
  let name = wanted;
  for (let number = 2; isTaken(name); number++) name = `${wanted}-${number}`;
  return name;
}
