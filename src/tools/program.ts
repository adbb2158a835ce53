// The version of the program, and the command that an operator types to run it.

import { readFileSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";

interface Manifest {
  version: string;
  /** npx installs into a folder of its own and notes there what it was given. */
  _npx?: { packages: string[] };
}

const ROOT = join(import.meta.dirname, "../..");

export const VERSION = readManifest(ROOT).version;

/** A clone runs the TypeScript sources through npm. The installed package is compiled and has its own command. */
export const COMMAND = import.meta.url.endsWith(".ts") ? "npm run -s animal-store --" : nameCommand(ROOT);

/**
 * The command of a package that is installed in `folder`: its name if it is installed globally, otherwise npx with the
 * same file, or its path. Never `npx animal-store`, which may download another package of this name.
 */
export function nameCommand(folder: string): string {
  const modules = dirname(folder);
  const project = dirname(modules);
  const manifest = basename(modules) === "node_modules" ? findManifest(project) : undefined;
  if (manifest === undefined) return "animal-store";
  const file = manifest._npx?.packages[0];
  return file === undefined ? shorten(join(modules, ".bin/animal-store")) : `npx ${shorten(file)}`;
}

/** Relative if the file is below the working folder; quoted for a shell unless all its characters are plain. */
function shorten(file: string): string {
  const below = relative(process.cwd(), file);
  const short = below.startsWith("..") ? file : `./${below}`;
  return /^[\w@+:.,/-]+$/.test(short) ? short : JSON.stringify(short);
}

/** A folder with global packages has no manifest. */
function findManifest(folder: string): Manifest | undefined {
  try {
    return readManifest(folder);
  } catch {
    return undefined;
  }
}

function readManifest(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
}
