// Finds who controls a path and works with that user's rights: root acts as the owner of the service's folder.

import { fchownSync, lstatSync, readlinkSync, realpathSync, type Stats, statSync } from "node:fs";
import { dirname, isAbsolute, join, parse, resolve, sep } from "node:path";
import { OperatorError } from "./operator-error.ts";

/** As many as Linux follows. */
const LINKS_MAX = 40;

interface Owner {
  uid: number;
  gid: number;
}

interface Identity extends Owner {
  groups: number[];
}

interface Place {
  /** Without symbolic links; what does not exist yet is appended as given. */
  path: string;
  /** The deepest that exists. */
  folder: string;
  owner: Owner;
  /** Whether somebody else than root has made a link on the way. */
  isLinked: boolean;
}

/** The new owner of files that root creates where it cannot act as the folder's owner. */
let heir: Owner | undefined;

/** The path without symbolic links, also of a file that does not exist yet. */
function realPathOf(path: string): string {
  return process.platform === "win32" ? findRealPath(path) : findPlace(path).path;
}

/**
 * Runs `work` with the rights of the user who controls the path, when root runs this process; as it is otherwise. Root
 * would follow a symbolic link that this user has planted, and leave files that the service cannot write.
 * Scopes may be nested; two must not overlap. `work` gets the path without symbolic links and must use that: on the way
 * of the path as given, a link may have changed since it was judged.
 */
export function asOwnerOf<T>(path: string, work: (realPath: string) => T): T {
  if (process.getuid?.() !== 0) return work(realPathOf(path));
  const before = { ...currentIdentity(), heir };
  const restore = () => {
    become(before, path);
    heir = before.heir;
  };
  let result: T;
  try {
    process.seteuid?.(0);
    const place = findPlace(path);
    enter(place);
    result = work(place.path);
  } catch (error) {
    restore();
    throw error;
  }
  if (result instanceof Promise) return result.finally(restore) as T;
  restore();
  return result;
}

/** For a file that this process has just made. */
export function giveToOwner(fd: number): void {
  if (heir !== undefined) fchownSync(fd, heir.uid, heir.gid);
}

function enter(place: Place): void {
  const { folder } = place;
  const owner = findController(place);
  heir = undefined;
  become(owner.uid === 0 ? started : { ...owner, groups: [owner.gid] }, folder);
  if (canReach(folder)) return;
  // As with DynamicUser of systemd, whose service sees the folder in a place of its own.
  become(started, folder);
  heir = owner;
  if (!isSafeForRoot(place)) {
    throw new OperatorError(
      `uid ${owner.uid} owns ${folder} but cannot reach it: a folder above is closed to that user. Run this command where the service runs, or let others pass: chmod o+x on the folders above.`,
    );
  }
}

function canReach(folder: string): boolean {
  try {
    statSync(folder);
    return true;
  } catch {
    return false;
  }
}

/** The owner of the folder. Where that is root, whoever owns a folder above can replace this one; the uppermost decides. */
function findController({ folder, owner }: Place): Owner {
  if (owner.uid !== 0) return owner;
  return foldersAbove(folder).findLast(({ uid }) => uid !== 0) ?? owner;
}

/** Nobody but root can replace a folder on the way; links in the last one are followed by none of our files. */
function isSafeForRoot({ path, folder, isLinked }: Place): boolean {
  if (isLinked || (path !== folder && dirname(path) !== folder)) return false;
  return foldersAbove(folder).every(({ uid, mode }) => {
    const isWritable = (mode & 0o022) !== 0 && (mode & 0o1000) === 0;
    return uid === 0 && !isWritable;
  });
}

/** The nearest first. */
function foldersAbove(folder: string): Stats[] {
  const above = dirname(folder);
  return above === folder ? [] : [lstatSync(above), ...foldersAbove(above)];
}

/** Whom this process was started as. */
const started = currentIdentity();

function currentIdentity(): Identity {
  return {
    uid: process.geteuid?.() ?? 0,
    gid: process.getegid?.() ?? 0,
    groups: process.getgroups?.() ?? [],
  };
}

function become(wanted: Identity, path: string): void {
  const now = currentIdentity();
  // Some containers forbid switching even where it changes nothing.
  if (now.uid === wanted.uid && now.gid === wanted.gid) return;
  try {
    // Only root may choose its groups.
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

/** Whoever owns the folder can replace what is in it; whoever made a link on the way there has chosen the folder. */
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
    const found = look(next);
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

/** What cannot be looked at is as good as missing: whoever opens it is told why. */
function look(path: string): Stats | undefined {
  try {
    return lstatSync(path);
  } catch {
    return undefined;
  }
}

function findRealPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return resolve(path);
  }
}
