// A folder that belongs to the user of a service: another one than root where root runs the tests, else whoever runs them.

import { chmodSync, chownSync, mkdirSync, statSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { makeFolder } from "./folder.ts";
import type { User } from "./service.ts";

export const isRoot = process.getuid?.() === 0;

/** Debian's "nobody", which owns nothing. */
const NOBODY: User = { uid: 65_534, gid: 65_534 };

/** Whom the tests' service runs as; undefined for the user of the tests. */
export const serviceUser: User | undefined = isRoot ? NOBODY : undefined;

export interface ServiceFolder {
  /** Belongs to the service's user. */
  home: string;
  /** Belongs to the user of the tests; the service's user may look into it. */
  outside: string;
  user: User;
}

export function makeServiceFolder(t: TestContext): ServiceFolder {
  const folder = makeFolder(t);
  chmodSync(folder, 0o755);
  const [home, outside] = [join(folder, "home"), join(folder, "outside")];
  mkdirSync(home, { mode: 0o700 });
  mkdirSync(outside, { mode: 0o755 });
  const { uid, gid } = serviceUser ?? statSync(home);
  chownSync(home, uid, gid);
  return { home, outside, user: { uid, gid } };
}
