// A copy of the project with its packages, as in a container image.

import { cpSync, mkdirSync, readdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import { makeFolder } from "./folder.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** Links the packages except those in `copied`. */
export function copyProject(t: TestContext, copied: string[] = []): string {
  const project = makeFolder(t);
  for (const name of ["src", "package.json"])
    cpSync(join(ROOT, name), join(project, name), { recursive: true });
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
