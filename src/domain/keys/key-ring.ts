// The life of API keys: issue, verify, change, rotate, revoke. Both doors, HTTP and command line, come through here.

import { type BoundedMap, createBoundedMap } from "../../tools/bounded-map.ts";
import type { Clock } from "../clock.ts";
import { ServiceError } from "../errors.ts";
import type { Page } from "../page.ts";
import {
  type ApiKey,
  applyChanges,
  checkSettings,
  type KeyChanges,
  type KeyFilter,
  type KeySettings,
  type KeyStore,
  ROTATION_GRACE_SECONDS,
} from "./api-key.ts";
import type { KeyCache } from "./key-cache.ts";
import {
  digestSecret,
  type Environment,
  generateSecret,
  hashSecret,
  isSecret,
  secretHint,
} from "./key-secret.ts";
import { createSecretDigests } from "./secret-digests.ts";

const TOUCH_EVERY_MS = 60_000;
const TOUCHED_MAX = 10_000;
/** About 5 MB when full. */
const SEEN_MAX = 50_000;
const RECALLED_MS = 86_400_000;
/** Stored keys count from 1; this one stands for ADMIN_API_KEY, which is held in memory only. */
const CONFIGURED_KEY_ID = 0n;

/** The secret is known at this moment only. */
export interface IssuedKey {
  key: ApiKey;
  secret: string;
  /** After a rotation: when the secrets before this one end. */
  oldEndsAtMs?: number;
}

/** An admin key of a store that had no active one. */
export interface FirstKey extends IssuedKey {
  /** Whether the store had no key of any kind. */
  isStoreNew: boolean;
}

export interface KeyRing {
  /**
   * Resolves to undefined for anything but a key in force; the reason is nobody's business. `allow` is asked before a
   * look-up; `isSeen` tells it whether the secret was good when this node last looked.
   */
  verify(secret: string, allow?: (isSeen: () => boolean) => Promise<boolean>): Promise<ApiKey | undefined>;
  /** The same from memory alone; undefined also for what has to be looked up. */
  recall(secret: string): ApiKey | undefined;
  /** At the start: keys that were used within a day count as seen. */
  recallUsed(): Promise<void>;
  /** The gate has called the key stale: it is to be read anew. */
  renew(key: ApiKey, version: number): void;
  list(page: Page, filter?: KeyFilter): Promise<ApiKey[]>;
  /** These throw `key_not_found`; all but `get` also for a revoked key. */
  get(id: bigint): Promise<ApiKey>;
  update(id: bigint, changes: KeyChanges): Promise<ApiKey>;
  rotate(id: bigint, graceSeconds?: number): Promise<IssuedKey>;
  revoke(id: bigint): Promise<ApiKey>;
  /** `gateNowMs` is the time of an admission: bans are set by the clock of the gate, which may be another than ours. */
  unban(id: bigint, gateNowMs: number): Promise<ApiKey>;
  create(settings: KeySettings): Promise<IssuedKey>;
  /** An admin key, made where none is active; undefined where there is one. */
  createFirst(name: string): Promise<FirstKey | undefined>;
  /** Remembers that the key was used, at most once a minute per key; undefined where there is nothing to do. */
  recordKeyUse(key: ApiKey): Promise<void> | undefined;
  /** The same for the deprecated operation. */
  recordDeprecatedUse(key: ApiKey): Promise<void> | undefined;
}

/** The hashes of secrets that were good when this node last looked, or that it has issued itself. */
export type SeenSecrets = BoundedMap<string, true>;

export function createSeenSecrets(): SeenSecrets {
  return createBoundedMap(SEEN_MAX);
}

export function createKeyRing(options: {
  keys: KeyStore;
  clock: Clock;
  environment: Environment;
  adminApiKey?: string | undefined;
  /** Where nodes share a gate; without it every look-up goes to the store. */
  cache?: KeyCache | undefined;
  /** Shared by all key rings of a process. */
  seen?: SeenSecrets | undefined;
}): KeyRing {
  const { keys, clock, environment, seen = createSeenSecrets() } = options;
  const configured =
    options.adminApiKey === undefined ? undefined : configuredKey(options.adminApiKey, clock);
  const names = createSecretDigests(clock);
  const touched = createBoundedMap<bigint, number>(TOUCHED_MAX);
  const touchedDeprecated = createBoundedMap<bigint, number>(TOUCHED_MAX);

  function recall(secret: string): ApiKey | undefined {
    const name = names.of(secret);
    // How long it takes to compare hashes tells nothing: nobody can choose a hash.
    const key = name === configured?.name ? configured.key : options.cache?.recall(name);
    if (key !== undefined) names.remember(secret, name);
    return key;
  }

  /** `noted` stands beside what the key says, which may be a few seconds old where keys are cached. */
  function noteOnceAMinute(
    { id }: ApiKey,
    storedMs: number | undefined,
    noted: BoundedMap<bigint, number>,
    store: (id: bigint, usedAtMs: number) => Promise<void>,
  ): Promise<void> | undefined {
    const nowMs = clock.nowMs();
    const lastMs = Math.max(storedMs ?? 0, noted.get(id) ?? 0);
    if (id === CONFIGURED_KEY_ID || nowMs - lastMs < TOUCH_EVERY_MS) return undefined;
    noted.set(id, nowMs);
    return store(id, nowMs);
  }

  function issue(): { secret: string; stored: { hash: Buffer; hint: string } } {
    const secret = generateSecret(environment);
    seen.set(digestSecret(secret), true);
    return { secret, stored: { hash: hashSecret(secret), hint: secretHint(secret) } };
  }

  return {
    async verify(secret, allow) {
      const known = recall(secret);
      if (known !== undefined) return known;
      if (!isSecret(secret, environment)) return undefined;
      const name = names.of(secret);
      if (allow && !(await allow(() => seen.get(name) === true))) return undefined;
      const found = await (options.cache
        ? options.cache.find(name)
        : keys.findBySecret(hashSecret(secret), clock.nowMs()));
      if (found === undefined) seen.delete(name);
      else seen.set(name, true);
      return found;
    },

    recall,
    async recallUsed() {
      const hashes = await keys.listUsedSecrets(clock.nowMs() - RECALLED_MS, SEEN_MAX);
      for (const hash of hashes) seen.set(hash.toString("latin1"), true);
    },
    renew: (key, version) => options.cache?.renew(key.id, version),
    list: (page, filter) => keys.list(page, filter),
    get: async (id) => found(await keys.find(id)),
    update: async (id, changes) =>
      found(await keys.update(id, (key) => applyChanges(key, changes, clock.nowMs()))),
    revoke: async (id) => found(await keys.revoke(id, clock.nowMs())),
    unban: async (id, gateNowMs) => found(await keys.unban(id, gateNowMs)),

    async create(settings) {
      const { secret, stored } = issue();
      const nowMs = clock.nowMs();
      return { key: await keys.create(checkSettings(settings, nowMs), stored, nowMs), secret };
    },

    async createFirst(name) {
      const { secret, stored } = issue();
      const isStoreNew = (await keys.list({ limit: 1 })).length === 0;
      const settings: KeySettings = { name, plan: "enterprise", access: "admin" };
      const key = await keys.createFirst(settings, stored, clock.nowMs());
      return key && { key, secret, isStoreNew };
    },

    async rotate(id, graceSeconds = ROTATION_GRACE_SECONDS) {
      const { secret, stored } = issue();
      const nowMs = clock.nowMs();
      const oldEndsAtMs = nowMs + graceSeconds * 1000;
      return {
        key: found(await keys.rotate(id, stored, { nowMs, endsAtMs: oldEndsAtMs })),
        secret,
        oldEndsAtMs,
      };
    },

    recordKeyUse: (key) => noteOnceAMinute(key, key.lastUsedAtMs, touched, keys.touch),
    recordDeprecatedUse: (key) =>
      noteOnceAMinute(key, key.deprecatedUsedAtMs, touchedDeprecated, keys.touchDeprecated),
  };
}

function configuredKey(secret: string, clock: Clock): { key: ApiKey; name: string } {
  const key: ApiKey = {
    id: CONFIGURED_KEY_ID,
    name: "ADMIN_API_KEY",
    plan: "enterprise",
    access: "admin",
    hint: "",
    createdAtMs: clock.nowMs(),
  };
  return { key, name: digestSecret(secret) };
}

function found(key: ApiKey | undefined): ApiKey {
  if (key === undefined) throw new ServiceError("key_not_found");
  return key;
}
