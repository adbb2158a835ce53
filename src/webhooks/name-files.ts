// The files of the system about host names: its list of hosts, and the domains in which it searches short names.

import type { LookupAddress } from "node:dns";
import { readFile } from "node:fs/promises";
import { isIP } from "node:net";

export const HOSTS_FILE =
  process.platform === "win32" ? "C:\\Windows\\System32\\drivers\\etc\\hosts" : "/etc/hosts";
export const SEARCH_FILE = "/etc/resolv.conf";

/** The addresses of a name in the list of hosts. */
export async function findListed(path: string, host: string): Promise<LookupAddress[]> {
  const text = (await readText(path)).toLowerCase();
  // Some systems list 100,000 hosts: only lines with the name are read.
  const lines = text.includes(host) ? text.split("\n").filter((line) => line.includes(host)) : [];
  return lines.flatMap((line) => {
    const [address = "", ...names] = splitWords(line.split("#")[0] as string);
    const family = isIP(address);
    const isNamed = family !== 0 && names.includes(host);
    return isNamed ? [{ address, family }] : [];
  });
}

/** The last line `search` or `domain` counts. */
export async function readSearchDomains(path: string): Promise<string[]> {
  const lines = (await readText(path)).split("\n").map(splitWords);
  const [, ...domains] = lines.findLast(([word]) => word === "search" || word === "domain") ?? [];
  return domains;
}

function splitWords(line: string): string[] {
  return line.split(/[ \t\r]/).filter((word) => word !== "");
}

/** A system without the file, or with one that only root reads, has no entries. */
async function readText(path: string): Promise<string> {
  return readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT" || error.code === "EACCES") return "";
    throw error;
  });
}
