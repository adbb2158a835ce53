// API keys: issue, verify, change, rotate, revoke. Used by the API and by the commands.

import { ServiceError } from "../basics/errors.ts";
import type { Page } from "../basics/page.ts";
import {
  type ApiKey,
  applyChanges,
  completeSettings,
  type KeyChanges,
  type KeyFilter,
  type KeyKind,
  type KeySettings,
  type KeyStore,
  type NewKey,
  ROTATION_GRACE_SECONDS,
  refusePersonKey,
} from "./api-key.ts";
import { type Actor, type AuditOrigin, SERVICE_ACTOR } from "./audit.ts";
import { createIssueSecret } from "./issue-secret.ts";
import {
  createKeyVerifier,
  createSeenSecrets,
  type KeyVerifier,
  type SeenSecrets,
  type VerifierOptions,
} from "./key-verifier.ts";

/** Only a publishable key is stored itself: another secret can be shown only now. */
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

export interface KeyRing extends KeyVerifier {
  list(page: Page, filter?: KeyFilter): Promise<ApiKey[]>;
  /**
   * These throw `key_not_found`; all but `get` also for a revoked key. `update` and `rotate` throw `invalid_transition` for a
   * person's key.
   */
  get(id: bigint): Promise<ApiKey>;
  /** `actor` of a change is for the audit log. */
  update(id: bigint, changes: KeyChanges, actor: Actor): Promise<ApiKey>;
  rotate(id: bigint, actor: Actor, graceSeconds?: number): Promise<IssuedKey>;
  revoke(id: bigint, actor: Actor): Promise<ApiKey>;
  /** A person's key revokes itself. Throws `invalid_api_key` if it was revoked since the request began. */
  endSession(id: bigint): Promise<ApiKey>;
  /** `gateNowMs` is the time of an admission: bans use the clock of the gate, which may differ from ours. */
  unban(id: bigint, gateNowMs: number, actor: Actor): Promise<ApiKey>;
  create(key: NewKey, actor: Actor): Promise<IssuedKey>;
  /** Whether an admin key is active: a stored one, or ADMIN_API_KEY. */
  hasAdmin(): Promise<boolean>;
  /** Creates an admin key; undefined if one is active or configured. */
  createFirst(name: string): Promise<FirstKey | undefined>;
  listAllowedOrigins(): Promise<string[]>;
  recordUse: KeyStore["touch"];
  recordDeprecatedUse: KeyStore["touchDeprecated"];
}

interface KeyRingOptions extends VerifierOptions {
  /** Shared by all key rings of a process. */
  seen?: SeenSecrets | undefined;
}

export function createKeyRing(options: KeyRingOptions): KeyRing {
  const { keys, clock, environment, adminApiKey, seen = createSeenSecrets() } = options;

  function originOf(actor: Actor): AuditOrigin {
    return { actor, atMs: clock.nowMs() };
  }

  const issue = createIssueSecret(environment, seen);

  return {
    ...createKeyVerifier(options, seen),
    listAllowedOrigins: () => keys.listAllowedOrigins(clock.nowMs()),
    recordUse: keys.touch,
    recordDeprecatedUse: keys.touchDeprecated,
    list: (page, filter) => keys.list(page, filter),
    get: async (id) => found(await keys.find(id)),
    revoke: async (id, actor) => found(await keys.revoke(id, originOf(actor))),
    async endSession(id) {
      const key = await keys.revoke(id, originOf({ keyId: id }), "session.ended");
      if (key === undefined) throw new ServiceError("invalid_api_key");
      return key;
    },
    unban: async (id, gateNowMs, actor) => found(await keys.unban(id, gateNowMs, originOf(actor))),
    hasAdmin: async () => adminApiKey !== undefined || keys.hasAdmin(clock.nowMs()),

    async update(id, changes, actor) {
      const origin = originOf(actor);
      return found(await keys.update(id, (key) => applyChanges(key, changes, origin.atMs), origin));
    },
    async create(wanted, actor) {
      const origin = originOf(actor);
      const settings = completeSettings(wanted, origin.atMs);
      const { secret, stored } = issue(wanted.kind);
      return { key: await keys.create(settings, stored, origin), secret };
    },
    async createFirst(name) {
      if (adminApiKey !== undefined) return undefined;
      const { secret, stored } = issue();
      const isStoreNew = (await keys.list({ limit: 1 })).length === 0;
      const settings: KeySettings = { name, plan: "enterprise", access: "admin" };
      const key = await keys.createFirst(settings, stored, originOf(SERVICE_ACTOR));
      return key && { key, secret, isStoreNew };
    },
    async rotate(id, actor, graceSeconds = ROTATION_GRACE_SECONDS) {
      const origin = originOf(actor);
      const endsAtMs = origin.atMs + graceSeconds * 1000;
      let secret = "";
      const issueNew = (kind: KeyKind) => {
        refusePersonKey(kind);
        const issued = issue(kind);
        secret = issued.secret;
        return issued.stored;
      };
      const key = found(await keys.rotate(id, issueNew, { ...origin, endsAtMs }));
      return { key, secret, oldEndsAtMs: endsAtMs };
    },
  };
}

function found(key: ApiKey | undefined): ApiKey {
  if (key === undefined) throw new ServiceError("key_not_found");
  return key;
}
