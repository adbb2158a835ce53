// The version of the program, the Node that it needs, and the command that an operator types to run it.

import { readFileSync } from "node:fs";
import { basename, dirname, isAbsolute, join } from "node:path";
import { quoteWord, shortenPath } from "./shell-words.ts";

interface Manifest {
  version: string;
  engines: { node: string };
  /** npx installs into a folder of its own and notes there what it was given. */
  _npx?: { packages: string[] };
}

const ROOT = join(import.meta.dirname, "../..");
const IS_CLONE = import.meta.url.endsWith(".ts");

const { version, engines } = readManifest(ROOT);

export const VERSION = version;
/** As "24.2". */
export const NODE_MIN = engines.node.replace(">=", "");

/** A clone runs the TypeScript sources through npm. The installed package is compiled and has its own command. */
export const COMMAND = IS_CLONE ? "npm run -s animal-store --" : nameCommand(ROOT);

/** Shown on public pages, without the folder in which the package is installed. */
export const PUBLIC_COMMAND = IS_CLONE ? COMMAND : "animal-store";

export const SERVE_SHORTCUT = IS_CLONE ? "npm start does this" : "the default";

/** The path of a file that a clone and the package have. */
export function locate(file: string): string {
  return shortenPath(join(ROOT, file));
}

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
  if (file === undefined) {
    const program = shortenPath(join(modules, ".bin/animal-store"));
    return quoteWord(isAbsolute(program) ? program : `./${program}`);
  }
  // npx would try to run an absolute path instead of installing it. Without --yes it asks, and a script stops there.
  return `npx --yes ${quoteWord(isAbsolute(file) ? `file:${file}` : file)}`;
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
