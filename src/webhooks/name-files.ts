// The files of the system about host names: its list of hosts, and the domains in which it searches short names.

import type { LookupAddress } from "node:dns";
import { readFile, stat } from "node:fs/promises";
import { isIP } from "node:net";

export const HOSTS_FILE =
  process.platform === "win32" ? "C:\\Windows\\System32\\drivers\\etc\\hosts" : "/etc/hosts";
export const SEARCH_FILE = "/etc/resolv.conf";

interface ReadHosts {
  path: string;
  mtimeMs: number;
  size: number;
  hosts: Map<string, LookupAddress[]>;
}

/** Some lists have 100,000 lines. */
let lastRead: ReadHosts | undefined;

/** The addresses of a name in the list of hosts. */
export async function findListed(path: string, host: string): Promise<LookupAddress[]> {
  const found = await orMissing(stat(path));
  if (found === undefined) return [];
  const { mtimeMs, size } = found;
  const isCurrent = lastRead?.path === path && lastRead.mtimeMs === mtimeMs && lastRead.size === size;
  if (!isCurrent) lastRead = { path, mtimeMs, size, hosts: parseHosts(await readLines(path)) };
  return lastRead?.hosts.get(host) ?? [];
}

/** The last line `search` or `domain` counts. */
export async function readSearchDomains(path: string): Promise<string[]> {
  const lines = (await readLines(path)).map(splitWords);
  const [, ...domains] = lines.findLast(([word]) => word === "search" || word === "domain") ?? [];
  return domains;
}

function parseHosts(lines: string[]): Map<string, LookupAddress[]> {
  const hosts = new Map<string, LookupAddress[]>();
  for (const line of lines) {
    const [address = "", ...names] = splitWords(line.split("#")[0] as string);
    const family = isIP(address);
    if (family === 0) continue;
    for (const name of names.map((each) => each.toLowerCase()))
      hosts.set(name, [...(hosts.get(name) ?? []), { address, family }]);
  }
  return hosts;
}

function splitWords(line: string): string[] {
  return line.split(/[ \t\r]/).filter((word) => word !== "");
}

async function readLines(path: string): Promise<string[]> {
  return ((await orMissing(readFile(path, "utf8"))) ?? "").split("\n");
}

/** A system without the file, or with one that only root reads, has no entries. */
function orMissing<T>(reading: Promise<T>): Promise<T | undefined> {
  return reading.catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT" || error.code === "EACCES") return undefined;
    throw error;
  });
}
