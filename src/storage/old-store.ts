// The store that a restore finds in its place: refused while it holds anything, or kept under another name.

import { copyFileSync, existsSync, linkSync, renameSync, rmSync } from "node:fs";
import SqliteConnection from "better-sqlite3";
import { OperatorError } from "../domain/errors.ts";
import { isBusy } from "./sqlite-statements.ts";
import { countRows, isEmpty, isStore } from "./store-file.ts";

const OPEN_WAIT_MS = 500;

/** A store without a row, as the first start leaves none, may go. */
export function refuseFilled(path: string): void {
  if (!existsSync(path)) return;
  const advice = "Replace it with --force; the old one is kept beside it.";
  const connection = new SqliteConnection(path, { timeout: OPEN_WAIT_MS });
  try {
    if (!isEmpty(connection) && !isStore(connection))
      throw new OperatorError(
        `${path} is a database of something else. Give the store another DATABASE_URL.`,
      );
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
    copyFileSync(path, kept);
  }
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
  const isTaken = (name: string) => ["", "-wal", "-journal"].some((end) => existsSync(`${name}${end}`));
  let name = wanted;
  for (let number = 2; isTaken(name); number++) name = `${wanted}-${number}`;
  return name;
}
