// Skips a build whose output is up to date: a stamp file in the output folder holds a hash of the sources.

import { createHash } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join, relative } from "node:path";

/** The name of the stamp file. */
export const STAMP = "built-from.txt";
/** The end of the name of a file that is being written. */
export const UNFINISHED = ".new";

interface Inputs {
  /** The paths of the sources are relative to this folder. */
  folder: string;
  /** Files and folders. */
  sources: string[];
  /** The output folder. */
  dist: string;
  /** A file of the output. If it is missing, the output is built again. */
  output: string;
}

/** Resolves to false where the output was built from the same sources. */
export async function buildIfChanged(
  { folder, sources, dist, output }: Inputs,
  build: () => Promise<void>,
): Promise<boolean> {
  const stamp = hashSources(folder, sources);
  const stampFile = join(dist, STAMP);
  if (existsSync(join(dist, output)) && readStamp(stampFile) === stamp) return false;
  mkdirSync(dist, { recursive: true });
  await build();
  // Last: a stamp means that all files are complete.
  replaceFile(stampFile, stamp);
  return true;
}

function hashSources(folder: string, sources: string[]): string {
  const hash = createHash("sha256");
  for (const source of sources) {
    for (const file of listFiles(join(folder, source)))
      hash.update(relative(folder, file).replaceAll("\\", "/")).update(readFileSync(file));
  }
  return hash.digest("hex");
}

/** All files of a folder, sorted; a file stands for itself. */
export function listFiles(path: string): string[] {
  if (statSync(path).isFile()) return [path];
  const entries = readdirSync(path, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

function readStamp(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}

/** Atomic: a service or another build may be reading the file. */
export function replaceFile(path: string, contents: Uint8Array | string): void {
  const fresh = `${path}.${process.pid}${UNFINISHED}`;
  writeFileSync(fresh, contents);
  renameSync(fresh, path);
}
