// Previous releases of the service, to start them beside and before this one.

import { execFileSync } from "node:child_process";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { makeFolder } from "../../harness/runner/folder.ts";
import { linkPackages } from "../../harness/servers/project.ts";

export interface PreviousRelease {
  version: string;
  /** The newest schema that it knows. */
  schema: number;
  /** Whether it has profiles, photos, webhooks and the audit log. */
  hasListings: boolean;
}

/** README.md of this folder says how to add one. */
export const PREVIOUS_RELEASES: PreviousRelease[] = [
  { version: "1.0.0", schema: 5, hasListings: false },
  { version: "1.1.0", schema: 14, hasListings: true },
];

/** Returns the folder of the release, for `startService`. */
export function unpackRelease(t: TestContext, version: string): string {
  const folder = makeFolder(t);
  const archive = join(import.meta.dirname, `animal-store-${version}.tar.gz`);
  execFileSync("tar", ["-xzf", archive, "-C", folder]);
  linkPackages(folder);
  return folder;
}
