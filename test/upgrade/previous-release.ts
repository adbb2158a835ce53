// Previous releases of the service, to start them beside and before this one.

import { execFileSync } from "node:child_process";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { makeFolder } from "../harness/folder.ts";
import { linkPackages } from "../harness/project.ts";

/** README.md of this folder says how to add one. */
export const PREVIOUS_RELEASES = ["1.0.0"];

/** Returns the folder of the release, for `startService`. */
export function unpackRelease(t: TestContext, version: string): string {
  const folder = makeFolder(t);
  const archive = join(import.meta.dirname, `animal-store-${version}.tar.gz`);
  execFileSync("tar", ["-xzf", archive, "-C", folder]);
  linkPackages(folder);
  return folder;
}
