// The store that a restore replaces: refused if it holds data, or kept under another name.

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
import { withConnection } from "./files.ts";
import { refuseForeignFile } from "./identity.ts";
import { countRows } from "./verify.ts";

/** The store is not served, so only a command may hold it. */
const COMMAND_WAIT_MS = 500;

/** Throws if the store holds rows or cannot be read. */
export function refuseFilledStore(path: string): void {
  if (!existsSync(path)) return;
  const advice = "Replace it with --force; the old one is kept beside it.";
  try {
    const all = withConnection(path, { timeout: COMMAND_WAIT_MS }, countRows);
    const counts = Object.entries(all).filter(([, count]) => count > 0);
    if (counts.length === 0) return;
    const held = counts.map(([word, count]) => `${word} ${count}`).join(", ");
    throw new OperatorError(`${path} is a store already (${held}). ${advice}`);
  } catch (error) {
    if (!(error instanceof SqliteConnection.SqliteError)) throw error;
    throw new OperatorError(`${path} exists already and cannot be read: ${error.message}. ${advice}`);
  }
}

/** Throws for a database of another program, even with --force. A file that is not a database passes. */
export function refuseForeignStore(path: string): void {
  if (!existsSync(path)) return;
  try {
    refuseForeignFile(path);
  } catch (error) {
    if (!(error instanceof SqliteConnection.SqliteError)) throw error;
  }
}

/** Links the store to a second name, which it keeps when the new one takes the first. Undefined if there is no store. */
export function keepReplacedStore(path: string): string | undefined {
  const kept = findFreeName(`${path}.before-restore`);
  const exists = existsSync(path);
  if (exists) leaveWalMode(path);
  // Left by a store that cannot be opened or was deleted. SQLite would apply them to the new store.
  for (const suffix of ["-wal", "-journal"]) {
    if (existsSync(`${path}${suffix}`)) renameSync(`${path}${suffix}`, `${kept}${suffix}`);
  }
  rmSync(`${path}-shm`, { force: true });
  if (!exists) return undefined;
  try {
    linkSync(path, kept);
  } catch {
    // Some file systems have no hard links.
    copyFileSync(path, kept, constants.COPYFILE_EXCL);
  }
  // Older releases left the mode to the umask.
  chmodSync(kept, 0o600);
  return kept;
}

/** Checkpoints the WAL and deletes it. Throws an OperatorError while another process has the store open. */
function leaveWalMode(path: string): void {
  const connection = new SqliteConnection(path, { timeout: COMMAND_WAIT_MS });
  try {
    connection.pragma("journal_mode = DELETE");
  } catch (error) {
    if (isBusy(error))
      throw new OperatorError(`Another process still has ${path} open. End it, then run this again.`);
    // A damaged store is kept unchanged.
    if (!(error instanceof SqliteConnection.SqliteError)) throw error;
  } finally {
    connection.close();
  }
}

function findFreeName(wanted: string): string {
  const exists = (path: string) => lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  const isTaken = (name: string) => ["", "-wal", "-journal"].some((suffix) => exists(`${name}${suffix}`));
  let name = wanted;
  for (let number = 2; isTaken(name); number++) name = `${wanted}-${number}`;
  return name;
}
