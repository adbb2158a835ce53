// Runs work with the rights of the user who controls a path: root acts as the owner of the service's folder.

import { fchownSync, lstatSync, readlinkSync, realpathSync, type Stats } from "node:fs";
import { dirname, isAbsolute, join, parse, resolve, sep } from "node:path";
import { OperatorError } from "../tools/operator-error.ts";

/** The limit of Linux. */
const LINKS_MAX = 40;

interface Owner {
  uid: number;
  gid: number;
}

interface Identity extends Owner {
  groups: number[];
}

interface Place {
  /** Without symbolic links; parts that do not exist yet are appended as given. */
  path: string;
  /** The deepest folder that exists. */
  folder: string;
  owner: Owner;
  /** Whether the path leads through a link of another user than root. */
  isLinked: boolean;
}

/** Receives the files that root creates when it cannot act as the folder's owner. */
let newOwner: Owner | undefined;

/** The path without symbolic links, also of a file that does not exist yet. */
function realPathOf(path: string): string {
  if (process.platform !== "win32") return findPlace(path).path;
  try {
    return realpathSync(path);
  } catch {
    return resolve(path);
  }
}

/**
 * If root runs this process, runs `work` with the rights of the user who controls the path. Root itself would follow a
 * symbolic link that this user created, and create files that the service cannot write. Calls may be nested, but must not
 * overlap. `work` must use the path that it is given: a link in the original path may have changed since it was checked.
 */
export function asOwnerOf<T>(path: string, work: (realPath: string) => T): T {
  if (process.getuid?.() !== 0) return work(realPathOf(path));
  const before = { ...currentIdentity(), newOwner };
  const restore = () => {
    switchUser(before, path);
    newOwner = before.newOwner;
  };
  let result: T;
  try {
    process.seteuid?.(0);
    const place = findPlace(path);
    actAsController(place);
    result = work(place.path);
  } catch (error) {
    restore();
    throw error;
  }
  if (result instanceof Promise) return result.finally(restore) as T;
  restore();
  return result;
}

/** For a file that this process has just created. */
export function giveToOwner(fd: number): void {
  if (newOwner !== undefined) fchownSync(fd, newOwner.uid, newOwner.gid);
}

function actAsController(place: Place): void {
  const { folder } = place;
  const owner = findController(place);
  newOwner = undefined;
  switchUser(owner.uid === 0 ? started : { ...owner, groups: [owner.gid] }, folder);
  if (findStats(folder) !== undefined) return;
  // For example with DynamicUser of systemd, where only the service sees the folder.
  switchUser(started, folder);
  newOwner = owner;
  if (!isSafeForRoot(place)) {
    throw new OperatorError(
      `uid ${owner.uid} owns ${folder} but cannot reach it: a folder above is closed to that user. Run this command where the service runs, or allow access with chmod o+x on the folders above.`,
    );
  }
}

/** The owner of the folder. If that is root, the owner of the uppermost folder above that is not root's, who can replace it. */
function findController({ folder, owner }: Place): Owner {
  if (owner.uid !== 0) return owner;
  return foldersAbove(folder).findLast(({ uid }) => uid !== 0) ?? owner;
}

/** True if only root can replace a folder on the path. Our files do not follow links in the last folder. */
function isSafeForRoot({ path, folder, isLinked }: Place): boolean {
  if (isLinked || (path !== folder && dirname(path) !== folder)) return false;
  return foldersAbove(folder).every(({ uid, mode }) => {
    const isWritable = (mode & 0o022) !== 0 && (mode & 0o1000) === 0;
    return uid === 0 && !isWritable;
  });
}

/** From the nearest to the root. */
function foldersAbove(folder: string): Stats[] {
  const above = dirname(folder);
  return above === folder ? [] : [lstatSync(above), ...foldersAbove(above)];
}

/** The user that started this process. */
const started = currentIdentity();

function currentIdentity(): Identity {
  return {
    uid: process.geteuid?.() ?? 0,
    gid: process.getegid?.() ?? 0,
    groups: process.getgroups?.() ?? [],
  };
}

function switchUser(wanted: Identity, path: string): void {
  const now = currentIdentity();
  // Some containers forbid the calls even if they change nothing.
  if (now.uid === wanted.uid && now.gid === wanted.gid) return;
  try {
    // Only root may set its groups.
    process.seteuid?.(0);
    process.setgroups?.(wanted.groups);
    process.setegid?.(wanted.gid);
    process.seteuid?.(wanted.uid);
  } catch (error) {
    throw new OperatorError(
      `${path} belongs to uid ${wanted.uid}, and root may not act as that user here: ${(error as Error).message}. Run this command as uid ${wanted.uid}.`,
    );
  }
}

/** Resolves links and finds the owner: of the folder, or of a link that leads to a folder of root. */
function findPlace(path: string): Place {
  const absolute = isAbsolute(path) ? path : `${process.cwd()}${sep}${path}`;
  const { root } = parse(absolute);
  const names = absolute.slice(root.length).split(sep);
  let at = root;
  let folder = root;
  let linker: Owner | undefined;
  let links = 0;
  while (names.length > 0) {
    const name = names.shift() as string;
    if (name === "" || name === ".") continue;
    const next = name === ".." ? dirname(at) : join(at, name);
    const found = findStats(next);
    if (found === undefined) {
      at = join(next, ...names);
      break;
    }
    if (found.isSymbolicLink()) {
      if (found.uid !== 0) linker = found;
      links += 1;
      if (links > LINKS_MAX) throw new OperatorError(`${path} leads through too many symbolic links.`);
      const target = readlinkSync(next);
      if (isAbsolute(target)) at = root;
      folder = at;
      names.unshift(...target.split(sep));
      continue;
    }
    at = next;
    if (found.isDirectory()) folder = at;
  }
  const owner = lstatSync(folder);
  return {
    path: at,
    folder,
    owner: owner.uid === 0 ? (linker ?? owner) : owner,
    isLinked: linker !== undefined,
  };
}

/** Undefined for a missing file, and for one that cannot be examined: opening it will report the reason. */
function findStats(path: string): Stats | undefined {
  try {
    return lstatSync(path);
  } catch {
    return undefined;
  }
}
