// Resolves the host names of webhooks: by the hosts file, then by the name servers of the system. Node's `lookup` would
// occupy one of its 4 threads while a name server does not answer. Here each look-up has its own channel and limit.

import type { LookupAddress } from "node:dns";
import { Resolver } from "node:dns/promises";
import { readFile } from "node:fs/promises";
import { isIP } from "node:net";
import { AttemptError } from "./failures.ts";

const HOSTS_FILE = process.platform === "win32" ? "C:\\Windows\\System32\\drivers\\etc\\hosts" : "/etc/hosts";
const SEARCH_FILE = "/etc/resolv.conf";
/** Shorter than the limit of a connection, so that the cause of a failure is known. */
const LOOK_UP_MS = 4_000;
/** Until a query is repeated; the wait grows with each repetition. */
const TRY_MS = 1_000;
const TRIES = 3;
/** When one family has addresses, the other one gets this long. */
const OTHER_FAMILY_MS = 500;
const WITHOUT_ADDRESS = ["ENOTFOUND", "ENODATA"];
const TOO_SLOW = ["ETIMEOUT", "ECANCELLED"];

/** Rejects with an AttemptError. */
export type Resolve = (host: string) => Promise<LookupAddress[]>;

interface ResolverOptions {
  servers?: string[];
  hostsFile?: string;
  searchFile?: string;
  lookUpMs?: number;
}

export function createResolver(options: ResolverOptions = {}): Resolve {
  const { servers, hostsFile = HOSTS_FILE, searchFile = SEARCH_FILE, lookUpMs = LOOK_UP_MS } = options;

  return async (host) => {
    const listed = await findListed(hostsFile, host);
    if (listed.length > 0) return listed;
    // RFC 6761: no name server knows such names.
    if (host.endsWith(".invalid")) throw new AttemptError("name_without_address");
    const domains = await readSearchDomains(searchFile);
    const resolver = new Resolver({ timeout: TRY_MS, tries: TRIES });
    if (servers !== undefined) resolver.setServers(servers);
    const limit = setTimeout(() => resolver.cancel(), lookUpMs);
    try {
      // The name itself first: a search domain must not hide a public name.
      for (const name of [host, ...domains.map((domain) => `${host}.${domain}`)]) {
        const found = await query(resolver, name);
        if (found.length > 0) return found;
      }
    } finally {
      clearTimeout(limit);
    }
    throw new AttemptError("name_without_address");
  };
}

/** Empty if the name does not exist or has no address. IPv4 first, because more hosts have it. */
async function query(resolver: Resolver, name: string): Promise<LookupAddress[]> {
  let hurry: NodeJS.Timeout | undefined;
  const ask = async (family: 4 | 6): Promise<LookupAddress[]> => {
    const addresses = await (family === 4 ? resolver.resolve4(name) : resolver.resolve6(name));
    hurry ??= setTimeout(() => resolver.cancel(), OTHER_FAMILY_MS);
    return addresses.map((address) => ({ address, family }));
  };
  const answers = await Promise.allSettled([ask(4), ask(6)]);
  clearTimeout(hurry);
  const found = answers.flatMap((answer) => (answer.status === "fulfilled" ? answer.value : []));
  if (found.length > 0) return found;
  const codes = answers.flatMap((answer) => (answer.status === "rejected" ? [answer.reason.code] : []));
  if (codes.every((code) => WITHOUT_ADDRESS.includes(code))) return [];
  const isTooSlow = codes.some((code) => TOO_SLOW.includes(code));
  throw new AttemptError(isTooSlow ? "look_up_too_slow" : "look_up_failed");
}

/** The addresses of a name in the list of hosts. */
async function findListed(path: string, host: string): Promise<LookupAddress[]> {
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
async function readSearchDomains(path: string): Promise<string[]> {
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
