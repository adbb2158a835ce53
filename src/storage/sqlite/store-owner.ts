// Work on a store's files as the owner of their folder, with SQLite's native module loaded before the user is switched.

import SqliteConnection from "better-sqlite3";
import { asOwnerOf } from "../../tools/folder-owner.ts";

let isLoaded = false;

/** For work that opens SQLite files by name; otherwise as `asOwnerOf`. */
export function asStoreOwner<T>(path: string, work: (realPath: string) => T): T {
  loadNativeModule();
  return asOwnerOf(path, work);
}

/** better-sqlite3 loads it with the first connection, and the owner of the folder may not be able to read the program. */
function loadNativeModule(): void {
  if (isLoaded || process.getuid?.() !== 0) return;
  new SqliteConnection(":memory:").close();
  isLoaded = true;
}
