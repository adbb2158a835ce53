// The files of the system about host names: its list of hosts, and the domains in which it searches short names.

import type { LookupAddress } from "node:dns";
import { readFile } from "node:fs/promises";
import { isIP } from "node:net";

export const HOSTS_FILE =
  process.platform === "win32" ? "C:\\Windows\\System32\\drivers\\etc\\hosts" : "/etc/hosts";
export const SEARCH_FILE = "/etc/resolv.conf";

/** The addresses of a name in the list of hosts. */
export async function findListed(path: string, host: string): Promise<LookupAddress[]> {
  return (await readLines(path)).flatMap((line) => {
    const [address = "", ...names] = splitWords(line.split("#")[0] as string);
    const family = isIP(address);
    const isNamed = family !== 0 && names.some((name) => name.toLowerCase() === host);
    return isNamed ? [{ address, family }] : [];
  });
}

/** The last line `search` or `domain` counts. */
export async function readSearchDomains(path: string): Promise<string[]> {
  const lines = (await readLines(path)).map(splitWords);
  const [, ...domains] = lines.findLast(([word]) => word === "search" || word === "domain") ?? [];
  return domains;
}

function splitWords(line: string): string[] {
  return line.split(/[ \t\r]/).filter((word) => word !== "");
}

/** A system without the file, or with one that only root reads, has no entries. */
async function readLines(path: string): Promise<string[]> {
  const text = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT" || error.code === "EACCES") return "";
    throw error;
  });
  return text.split("\n");
}
