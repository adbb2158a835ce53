// Folders of a path: creates the missing ones, finds the deepest that exists, and resolves symbolic links.

import { existsSync, mkdirSync, realpathSync, statSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";

/**
 * Throws the system's error. Not `mkdirSync` with `recursive`: it never returns where the system refuses a new folder
 * with ENOENT, as in /proc.
 */
export function createFolders(folder: string, mode: number): void {
  if (isFolder(folder)) return;
  const above = dirname(folder);
  if (above !== folder) createFolders(above, mode);
  try {
    mkdirSync(folder, { mode });
  } catch (error) {
    // Another process may have created it in between.
    if (!isFolder(folder)) throw error;
  }
}

/** The path itself, or the nearest above it that exists. */
export function findNearest(path: string): string {
  let nearest = path;
  while (!existsSync(nearest)) nearest = dirname(nearest);
  return nearest;
}

/** The path without symbolic links. Parts that do not exist yet are appended as given. */
export function realPathOf(path: string): string {
  const absolute = resolve(path);
  const nearest = findNearest(absolute);
  return join(realpathSync(nearest), relative(nearest, absolute));
}

export function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
