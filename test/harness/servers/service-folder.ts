// A folder owned by the user that runs the service: an unprivileged one when root runs the tests.

import { chmodSync, chownSync, mkdirSync, statSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { makeFolder } from "../runner/folder.ts";
import type { User } from "./service.ts";

export const isRoot = process.getuid?.() === 0;

/** This user owns no files on Debian. */
const UNPRIVILEGED: User = { uid: 65_534, gid: 65_534 };

/** The user that runs the service; undefined for the user of the tests. */
export const serviceUser: User | undefined = isRoot ? UNPRIVILEGED : undefined;

export interface ServiceFolder {
  /** Owned by the user of the service. */
  home: string;
  /** Owned by the user of the tests; the user of the service may read it. */
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
