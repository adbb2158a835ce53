// Finds the addresses that an attempt may connect to. The check of a new webhook and every attempt use it.

import type { LookupAddress } from "node:dns";
import { lookup } from "node:dns/promises";
import { isIP } from "node:net";
import { createTurnstile } from "../tools/turnstile.ts";
import { type AddressRules, refuse, targetOf } from "./addresses.ts";
import { AttemptError } from "./failures.ts";
import { findProxy, type ProxySettings } from "./proxy.ts";

/** Of the 4 threads of Node: with a dead name server, a look-up occupies its thread for many seconds. */
const LOOKUPS_MAX = 2;
const LOOKUP_WAIT_MS = 5_000;

export type Resolve = (host: string) => Promise<LookupAddress[]>;

export interface Targets {
  /** For a URL of a caller. A name that cannot be resolved now is allowed, because every attempt checks it again. */
  check(text: string): Promise<void>;
  /** Throws a ServiceError `url_not_allowed`, or the error of the look-up. */
  find(text: string): Promise<Target>;
}

export interface Target {
  url: URL;
  /** If there is one, it resolves the name, and decides about its addresses. */
  proxy: URL | undefined;
  /** Only allowed ones; none if a proxy is used. */
  addresses: LookupAddress[];
}

interface TargetOptions {
  rules: AddressRules;
  proxies: ProxySettings;
  resolve?: Resolve;
}

export function createTargets({ rules, proxies, resolve = resolveInTurn }: TargetOptions): Targets {
  async function find(text: string): Promise<Target> {
    const url = rules.readUrl(text);
    const proxy = findProxy(url, proxies);
    if (proxy !== undefined) return { url, proxy, addresses: [] };
    const target = targetOf(url);
    const family = isIP(target.host);
    // Checked by `readUrl`.
    if (family !== 0) return { url, proxy, addresses: [{ address: target.host, family }] };
    const found = await resolve(target.host);
    if (found.length === 0) throw new AttemptError("name_without_address");
    const addresses = found.filter(({ address }) => rules.isAllowed(target, address));
    // Without the addresses: they would tell the caller about the network of the operator.
    if (addresses.length === 0) throw refuse("url_private_addresses", { host: target.host });
    return { url, proxy, addresses };
  }

  return {
    find,
    async check(text) {
      rules.readUrl(text);
      await find(text).catch((error) => {
        if (error.code === "url_not_allowed") throw error;
      });
    },
  };
}

const takeTurn = createTurnstile(LOOKUPS_MAX, () => new AttemptError("look_up_too_slow"));

function resolveInTurn(host: string): Promise<LookupAddress[]> {
  return takeTurn(performance.now() + LOOKUP_WAIT_MS, () => lookup(host, { all: true }));
}
