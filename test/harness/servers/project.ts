// Copies of the project with its packages, as in a container image.

import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import { makeFolder, removeFolder } from "../runner/folder.ts";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));

/** Links the packages except those in `copied`. */
export function copyProject(t: TestContext, copied: string[] = []): string {
  const project = makeFolder(t);
  copyProgram(project);
  linkPackages(project, copied);
  return project;
}

/** Leaves out node_modules/.cache, so that the compile cache of the project does not grow with each folder. */
export function linkPackages(project: string, copied: string[] = []): void {
  const packages = join(project, "node_modules");
  mkdirSync(packages);
  for (const name of readdirSync(join(ROOT, "node_modules")).filter((each) => !each.startsWith("."))) {
    const [from, to] = [join(ROOT, "node_modules", name), join(packages, name)];
    if (copied.includes(name)) cpSync(from, to, { recursive: true });
    else symlinkSync(from, to);
  }
}

let shared: string | undefined;

/**
 * A copy that every user may read, without links to the project, whose folder may be closed to them. One for all tests of
 * a process; it has room for the compiled code of its users.
 */
export function shareProject(): string {
  shared ??= createSharedProject();
  return shared;
}

function createSharedProject(): string {
  const project = mkdtempSync(join(tmpdir(), "animal-store-program-"));
  process.once("exit", () => removeFolder(project));
  copyProgram(project);
  for (const path of listProductionPackages())
    cpSync(join(ROOT, path), join(project, path), { recursive: true });
  const cache = join(project, "cache");
  mkdirSync(cache);
  // A clone that was made with a strict umask is readable by its owner only.
  execFileSync("chmod", ["-R", "a+rX", project]);
  execFileSync("chmod", ["1777", cache]);
  return project;
}

/** Without Node, which as-user.ts starts from the project. */
function listProductionPackages(): string[] {
  const { packages } = JSON.parse(readFileSync(join(ROOT, "package-lock.json"), "utf8"));
  return Object.entries<{ dev?: boolean }>(packages)
    .filter(([path, { dev }]) => path !== "" && !dev && !/^node_modules\/node-/.test(path))
    .map(([path]) => path)
    .filter((path) => existsSync(join(ROOT, path)));
}

function copyProgram(project: string): void {
  for (const name of ["src", "package.json"])
    cpSync(join(ROOT, name), join(project, name), { recursive: true });
}
