// Finds the addresses that an attempt may connect to. The check of a new webhook and every attempt use it.

import type { LookupAddress } from "node:dns";
import { isIP } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { type AddressRules, refuse, refuseWith, targetOf } from "./addresses.ts";
import { AttemptError, describeFailure } from "./failures.ts";
import { findProxy, type ProxySettings } from "./proxy.ts";
import { createResolver, type Resolve } from "./resolver.ts";

/** A refused name takes at least this long, so that the time does not show whether it exists in the operator's network. */
const REFUSAL_MS = 1_000;

export interface Targets {
  /**
   * Checks the URL of a caller. Throws a ServiceError `url_not_allowed`. Without `showsCause`, a name that does not resolve and
   * one that leads to a forbidden address get the same message.
   */
  check(text: string, options: { showsCause: boolean }): Promise<void>;
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
  refusalMs?: number;
}

export function createTargets(options: TargetOptions): Targets {
  const { rules, proxies, resolve = createResolver(), refusalMs = REFUSAL_MS } = options;

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
    // Without the addresses: they would show the caller the network of the operator.
    if (addresses.length === 0) throw refuse("url_private_addresses", { host: target.host });
    return { url, proxy, addresses };
  }

  return {
    find,
    async check(text, { showsCause }) {
      const { host } = targetOf(rules.readUrl(text));
      const startedMs = performance.now();
      await find(text).catch(async (error: unknown) => {
        // An operator vouches for the name, which may resolve later. Every attempt checks it again.
        if (rules.isNameAllowed(host) && error instanceof AttemptError) return;
        if (showsCause) throw refuseWith(describeFailure(error));
        await pause(Math.max(0, startedMs + refusalMs - performance.now()));
        throw refuse("url_without_public_address");
      });
    },
  };
}
