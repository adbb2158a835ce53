// Refuses to use another user's folder as root: that user could not use root's files, and could redirect them by links.

import { lstatSync, readlinkSync, realpathSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { ExplainedError, OperatorError } from "../tools/operator-error.ts";
import { COMMAND } from "../tools/program.ts";
import { isFolder } from "./folders.ts";

/** Ends a circle of links. */
const LINKS_MAX = 40;

interface Part {
  path: string;
  uid: number;
  gid: number;
}

/** Throws an ExplainedError if root runs this process and the path leads through a folder or a link of another user. */
export function refuseOtherOwner(path: string): void {
  if (process.getuid?.() !== 0) return;
  const other = listParts(resolve(path)).findLast(isOther);
  if (other === undefined) return;
  const { uid, gid } = other;
  const asUser =
    process.platform === "linux"
      ? `setpriv --reuid=${uid} --regid=${gid} --clear-groups`
      : `sudo -u '#${uid}'`;
  throw new ExplainedError(
    `${other.path} belongs to uid ${uid}, who could not use files that root creates there`,
    `Run this command as that user: ${asUser} ${COMMAND} … (with DynamicUser of systemd: see "systemd" in docs/operating.md)`,
  );
}

/** The existing folders and links on the way to the path, the nearest last. Links of other users are not followed. */
function listParts(path: string, linksBefore = 0): Part[] {
  if (linksBefore > LINKS_MAX) throw new OperatorError(`${path} leads through too many symbolic links.`);
  const above = dirname(path);
  const parts = above === path ? [] : listParts(above, linksBefore);
  const found = isFolder(above) ? lstatSync(path, { throwIfNoEntry: false }) : undefined;
  if (found === undefined || !(found.isDirectory() || found.isSymbolicLink())) return parts;
  parts.push({ path, uid: found.uid, gid: found.gid });
  if (found.isDirectory() || parts.some(isOther)) return parts;
  return [...parts, ...listParts(resolve(realpathSync(above), readlinkSync(path)), linksBefore + 1)];
}

function isOther({ uid }: Part): boolean {
  return uid !== 0;
}
