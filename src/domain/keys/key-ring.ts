// API keys: issue, verify, change, rotate, revoke. Used by the API and by the commands.

import { type BoundedMap, createBoundedMap } from "../../tools/bounded-map.ts";
import type { Clock } from "../basics/clock.ts";
import { DAY_MS, MINUTE_MS } from "../basics/durations.ts";
import { ServiceError } from "../basics/errors.ts";
import type { Page } from "../basics/page.ts";
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
import { type Actor, type AuditOrigin, SERVICE_ACTOR } from "./audit.ts";
import type { KeyCache } from "./key-cache.ts";
import {
  createSecretDigests,
  digestSecret,
  type Environment,
  generateSecret,
  hashSecret,
  isSecret,
  secretHint,
} from "./key-secret.ts";

const TOUCH_EVERY_MS = MINUTE_MS;
const TOUCHED_MAX = 10_000;
/** About 5 MB when full. */
const SEEN_MAX = 50_000;
const RECALLED_MS = DAY_MS;
/** Stored keys count from 1; this is the id of ADMIN_API_KEY, which exists in memory only. */
const CONFIGURED_KEY_ID = 0n;

/** The secret is not stored and can be shown only now. */
export interface IssuedKey {
  key: ApiKey;
  secret: string;
  /** After a rotation: when the earlier secrets expire. */
  oldEndsAtMs?: number;
}

/** An admin key for a store without an active one. */
export interface FirstKey extends IssuedKey {
  /** Whether the store had no key of any kind. */
  isStoreNew: boolean;
}

export interface KeyRing {
  /**
   * Resolves to undefined unless the key is valid, without a reason. `allow` decides on a look-up; its `isSeen` says
   * whether the secret was valid at this node's last look-up.
   */
  verify(secret: string, allow?: (isSeen: () => boolean) => Promise<boolean>): Promise<ApiKey | undefined>;
  /** The same from memory; undefined also for a key that has to be looked up. */
  recall(secret: string): ApiKey | undefined;
  /** At the start: marks keys used within the last day as seen. */
  recallUsed(): Promise<void>;
  /** The gate reports the key as stale: it has to be read again. */
  renew(key: ApiKey, version: number): void;
  list(page: Page, filter?: KeyFilter): Promise<ApiKey[]>;
  /** These throw `key_not_found`; all but `get` also for a revoked key. */
  get(id: bigint): Promise<ApiKey>;
  /** `actor` of a change is for the audit log. */
  update(id: bigint, changes: KeyChanges, actor: Actor): Promise<ApiKey>;
  rotate(id: bigint, actor: Actor, graceSeconds?: number): Promise<IssuedKey>;
  revoke(id: bigint, actor: Actor): Promise<ApiKey>;
  /** `gateNowMs` is the time of an admission: bans use the clock of the gate, which may differ from ours. */
  unban(id: bigint, gateNowMs: number, actor: Actor): Promise<ApiKey>;
  create(settings: KeySettings, actor: Actor): Promise<IssuedKey>;
  /** Whether an admin key is active: a stored one, or ADMIN_API_KEY. */
  hasAdmin(): Promise<boolean>;
  /** Creates an admin key; undefined if one is active or configured. */
  createFirst(name: string): Promise<FirstKey | undefined>;
  /** Stores the time of use, at most once a minute per key; undefined if there is nothing to store. */
  recordKeyUse(key: ApiKey): Promise<void> | undefined;
  /** The same for the deprecated operation. */
  recordDeprecatedUse(key: ApiKey): Promise<void> | undefined;
}

/** Digests of secrets that were valid at the last look-up by this node, or that it has issued. */
export type SeenSecrets = BoundedMap<string, true>;

export function createSeenSecrets(): SeenSecrets {
  return createBoundedMap(SEEN_MAX);
}

export function createKeyRing(options: {
  keys: KeyStore;
  clock: Clock;
  environment: Environment;
  adminApiKey?: string | undefined;
  /** Absent if the gate has no versions: then every look-up goes to the store. */
  cache?: KeyCache | undefined;
  /** Shared by all key rings of a process. */
  seen?: SeenSecrets | undefined;
}): KeyRing {
  const { keys, clock, environment, seen = createSeenSecrets() } = options;
  const configured =
    options.adminApiKey === undefined ? undefined : configuredKey(options.adminApiKey, clock);
  const digests = createSecretDigests(clock);

  function recall(secret: string): ApiKey | undefined {
    const digest = digests.of(secret);
    // A plain comparison is safe: its timing reveals only digests, which a caller cannot choose.
    const key = digest === configured?.digest ? configured.key : options.cache?.recall(digest);
    if (key !== undefined) digests.remember(secret, digest);
    return key;
  }

  function oncePerMinute(store: KeyStore["touch"], storedMs: (key: ApiKey) => number | undefined) {
    /** Newer than the time in the key, which may come from the cache. */
    const noted = createBoundedMap<bigint, number>(TOUCHED_MAX);
    return (key: ApiKey): Promise<void> | undefined => {
      const nowMs = clock.nowMs();
      const lastMs = Math.max(storedMs(key) ?? 0, noted.get(key.id) ?? 0);
      if (key.id === CONFIGURED_KEY_ID || nowMs - lastMs < TOUCH_EVERY_MS) return undefined;
      noted.set(key.id, nowMs);
      return store(key.id, nowMs);
    };
  }

  function originOf(actor: Actor): AuditOrigin {
    return { actor, atMs: clock.nowMs() };
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
      const digest = digests.of(secret);
      if (allow && !(await allow(() => seen.get(digest) === true))) return undefined;
      const found = await (options.cache
        ? options.cache.find(digest)
        : keys.findBySecret(hashSecret(secret), clock.nowMs()));
      if (found === undefined) seen.delete(digest);
      else seen.set(digest, true);
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
    async update(id, changes, actor) {
      const origin = originOf(actor);
      return found(await keys.update(id, (key) => applyChanges(key, changes, origin.atMs), origin));
    },
    revoke: async (id, actor) => found(await keys.revoke(id, originOf(actor))),
    unban: async (id, gateNowMs, actor) => found(await keys.unban(id, gateNowMs, originOf(actor))),

    async create(settings, actor) {
      const { secret, stored } = issue();
      const origin = originOf(actor);
      return { key: await keys.create(checkSettings(settings, origin.atMs), stored, origin), secret };
    },

    hasAdmin: async () => configured !== undefined || keys.hasAdmin(clock.nowMs()),

    async createFirst(name) {
      if (configured !== undefined) return undefined;
      const { secret, stored } = issue();
      const isStoreNew = (await keys.list({ limit: 1 })).length === 0;
      const settings: KeySettings = { name, plan: "enterprise", access: "admin" };
      const key = await keys.createFirst(settings, stored, originOf(SERVICE_ACTOR));
      return key && { key, secret, isStoreNew };
    },

    async rotate(id, actor, graceSeconds = ROTATION_GRACE_SECONDS) {
      const { secret, stored } = issue();
      const origin = originOf(actor);
      const endsAtMs = origin.atMs + graceSeconds * 1000;
      const key = found(await keys.rotate(id, stored, { ...origin, endsAtMs }));
      return { key, secret, oldEndsAtMs: endsAtMs };
    },

    recordKeyUse: oncePerMinute(keys.touch, (key) => key.lastUsedAtMs),
    recordDeprecatedUse: oncePerMinute(keys.touchDeprecated, (key) => key.deprecatedUsedAtMs),
  };
}

function configuredKey(secret: string, clock: Clock): { key: ApiKey; digest: string } {
  const key: ApiKey = {
    id: CONFIGURED_KEY_ID,
    name: "ADMIN_API_KEY",
    plan: "enterprise",
    access: "admin",
    hint: "",
    createdAtMs: clock.nowMs(),
  };
  return { key, digest: digestSecret(secret) };
}

function found(key: ApiKey | undefined): ApiKey {
  if (key === undefined) throw new ServiceError("key_not_found");
  return key;
}
