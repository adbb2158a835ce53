// The API key, the rules for changing it, and the interface of its store.

import { ALLOWED_ORIGINS_MAX } from "../basics/count-limits.ts";
import { ServiceError } from "../basics/errors.ts";
import type { Page } from "../basics/page.ts";
import { namePattern, nameRule } from "../basics/text.ts";
import { KEY_NAME_MAX } from "../basics/text-limits.ts";
import { isAllowableOrigin, ORIGIN_RULE } from "./allowed-origins.ts";
import type { AuditAction, AuditOrigin } from "./audit.ts";
import type { PersonName } from "./person-name.ts";
import { type Access, limitsOf, type Plan } from "./plan.ts";

const KEY_NAME = new RegExp(namePattern(KEY_NAME_MAX), "u");

export const ROTATION_GRACE_SECONDS = 86_400;
export const ROTATION_GRACE_SECONDS_MAX = 30 * 86_400;

/** Kinds that an admin creates. */
export const NEW_KEY_KINDS = ["secret", "publishable"] as const;
/** `person`: the key of a person's device, which has their rights. */
export const KEY_KINDS = [...NEW_KEY_KINDS, "person"] as const;
export type KeyKind = (typeof KEY_KINDS)[number];

export interface ApiKey {
  id: bigint;
  name: string;
  plan: Plan;
  access: Access;
  /** Own limits; only on the enterprise plan. */
  perMinute?: number | undefined;
  perDay?: number | undefined;
  /** The only shelter whose animals the key may change; absent for the whole network. */
  shelterId?: bigint | undefined;
  kind: KeyKind;
  /** Present on a key of kind `person`. */
  person?: PersonName | undefined;
  /** Origins of web pages that may use a publishable key, and the key itself, which is no secret. */
  allowedOrigins?: string[] | undefined;
  token?: string | undefined;
  /** The first characters of the newest secret. */
  hint: string;
  createdAtMs: number;
  expiresAtMs?: number | undefined;
  revokedAtMs?: number | undefined;
  /** Accurate to a minute. */
  lastUsedAtMs?: number | undefined;
  /** The last call of the deprecated operation, accurate to a minute. */
  deprecatedUsedAtMs?: number | undefined;
  /** Bans that began before this time do not count. */
  unbannedAtMs?: number | undefined;
  /** When the secret that the key was found by expires; absent if it does not. */
  secretEndsAtMs?: number | undefined;
  /** Rises with every change of the key; absent for ADMIN_API_KEY, which never changes. */
  version?: number | undefined;
}

type KeyMembers = "name" | "plan" | "perMinute" | "perDay" | "expiresAtMs" | "shelterId" | "allowedOrigins";

/** The kind never changes. Default: a secret key. */
export type KeySettings = Pick<ApiKey, KeyMembers | "access"> & { kind?: KeyKind | undefined };

/** Default access: `manage`; a publishable key has none of its own. */
export type NewKey = Omit<KeySettings, "access"> & { access?: Access | undefined };

/** An absent member stays unchanged; `null` removes the own limit, the expiry or the shelter. */
export interface KeyChanges {
  name?: string | undefined;
  plan?: Plan | undefined;
  access?: Access | undefined;
  perMinute?: number | null | undefined;
  perDay?: number | null | undefined;
  expiresAtMs?: number | null | undefined;
  shelterId?: bigint | null | undefined;
  allowedOrigins?: string[] | undefined;
}

/** The stored form of a secret; `token` is a publishable key itself. */
export interface StoredSecret {
  hash: Buffer;
  hint: string;
  token?: string | undefined;
}

type KeyState = "active" | "expired" | "revoked";

export interface KeyFilter {
  /** Only keys that have called the deprecated operation. */
  hasUsedDeprecated?: boolean | undefined;
}

/** Every change is recorded in the audit log, in the same transaction. */
export interface KeyStore {
  /** In ascending order of id, with revoked and expired keys. */
  list(page: Page, filter?: KeyFilter): Promise<ApiKey[]>;
  find(id: bigint): Promise<ApiKey | undefined>;
  /** The key that has a secret with this hash, if both are valid at `nowMs`. */
  findBySecret(hash: Buffer, nowMs: number): Promise<ApiKey | undefined>;
  /** The origins that publishable keys allow at `nowMs`. */
  listAllowedOrigins(nowMs: number): Promise<string[]>;
  /** The hashes of secrets of keys that were used after `sinceMs`, at most `limit`. */
  listUsedSecrets(sinceMs: number, limit: number): Promise<Buffer[]>;
  /**
   * Creates a key with access "admin", unless one is active: neither revoked nor expired at the time of the origin. Of
   * many nodes that try at once, one succeeds.
   */
  createFirst(settings: KeySettings, secret: StoredSecret, origin: AuditOrigin): Promise<ApiKey | undefined>;
  hasAdmin(nowMs: number): Promise<boolean>;
  create(settings: KeySettings, secret: StoredSecret, origin: AuditOrigin): Promise<ApiKey>;
  /** `change` gets the current key and may throw; concurrent updates run one after another. */
  update(id: bigint, change: (key: ApiKey) => KeySettings, origin: AuditOrigin): Promise<ApiKey | undefined>;
  /** The new secret is valid at once, earlier ones until `endsAtMs` at the latest. `issue` makes a secret of this kind. */
  rotate(
    id: bigint,
    issue: (kind: KeyKind) => StoredSecret,
    origin: AuditOrigin & { endsAtMs: number },
  ): Promise<ApiKey | undefined>;
  /** `action` goes into the audit record; default: `key.revoked`. */
  revoke(id: bigint, origin: AuditOrigin, action?: AuditAction): Promise<ApiKey | undefined>;
  /** `gateNowMs` is the time by the clock of the gate. */
  unban(id: bigint, gateNowMs: number, origin: AuditOrigin): Promise<ApiKey | undefined>;
  touch(id: bigint, usedAtMs: number): Promise<void>;
  touchDeprecated(id: bigint, usedAtMs: number): Promise<void>;
}

export function keyState(key: ApiKey, nowMs: number): KeyState {
  if (key.revokedAtMs !== undefined) return "revoked";
  return key.expiresAtMs !== undefined && key.expiresAtMs <= nowMs ? "expired" : "active";
}

/** The key as the API and the commands show it: with its effective limits, without a secret. */
export function describeKey(key: ApiKey, nowMs: number) {
  const { id, kind, name, plan, access, hint, person } = key;
  return {
    id,
    kind,
    name,
    ...(person && { person }),
    plan,
    access,
    ...limitsOf(key),
    ...(key.shelterId !== undefined && { shelterId: key.shelterId }),
    ...(key.allowedOrigins && { allowedOrigins: key.allowedOrigins }),
    hint,
    ...(key.token !== undefined && { key: key.token }),
    state: keyState(key, nowMs),
    createdAt: new Date(key.createdAtMs),
    ...(key.expiresAtMs !== undefined && { expiresAt: new Date(key.expiresAtMs) }),
    ...(key.revokedAtMs !== undefined && { revokedAt: new Date(key.revokedAtMs) }),
    ...(key.lastUsedAtMs !== undefined && { lastUsedAt: new Date(key.lastUsedAtMs) }),
    ...(key.deprecatedUsedAtMs !== undefined && { deprecatedUsedAt: new Date(key.deprecatedUsedAtMs) }),
  };
}

/** Throws like `checkSettings`, or `invalid_transition`. An expired key may be changed without a new expiry. */
export function applyChanges(key: KeySettings, changes: KeyChanges, nowMs: number): KeySettings {
  const { kind } = key;
  const { name: _, ...others } = changes;
  if (Object.values(others).some((value) => value !== undefined)) refusePersonKey(kind);
  const plan = changes.plan ?? key.plan;
  // A change from the enterprise plan to another also removes the own limits.
  const own = plan === "enterprise" ? key : { perMinute: undefined, perDay: undefined };
  const settings: KeySettings = {
    name: changes.name ?? key.name,
    plan,
    access: changes.access ?? key.access,
    perMinute: changed(changes.perMinute, own.perMinute),
    perDay: changed(changes.perDay, own.perDay),
    expiresAtMs: changed(changes.expiresAtMs, key.expiresAtMs),
    shelterId: changed(changes.shelterId, key.shelterId),
    kind,
    allowedOrigins: changes.allowedOrigins ?? key.allowedOrigins,
  };
  const hasNewExpiry = typeof changes.expiresAtMs === "number";
  const faults = findKindFaults({ ...changes, kind });
  return checkSettings(settings, hasNewExpiry ? nowMs : Number.NEGATIVE_INFINITY, faults);
}

/** Throws `invalid_transition`. */
export function refusePersonKey(kind: KeyKind | undefined): void {
  if (kind !== "person") return;
  const message =
    "The key of a person cannot be rotated, and only its name can be changed. Change the person, or revoke the key.";
  throw new ServiceError("invalid_transition", { message });
}

/** The settings of a new key. Throws like `checkSettings`. */
export function completeSettings(key: NewKey, nowMs: number): KeySettings {
  const { access = key.kind === "publishable" ? "browse" : "manage" } = key;
  const faults = findKindFaults(key);
  if (key.kind === "publishable" && key.allowedOrigins === undefined)
    faults.push("allowedOrigins is required for a publishable key");
  return checkSettings({ ...key, access }, nowMs, faults);
}

/** Members that keys of this kind do not have, and origins that no browser sends. */
function findKindFaults(given: KeyChanges & { kind?: KeyKind | undefined }): string[] {
  const { kind, access, perDay, allowedOrigins } = given;
  if (kind !== "publishable")
    return allowedOrigins === undefined ? [] : ["allowedOrigins is for publishable keys only"];
  const faults = Object.entries({ access, perDay })
    .filter(([, value]) => value !== undefined)
    .map(([member]) => `${member} is not for publishable keys`);
  const count = allowedOrigins?.length ?? 1;
  if (count < 1 || count > ALLOWED_ORIGINS_MAX)
    faults.push(`allowedOrigins must have 1 to ${ALLOWED_ORIGINS_MAX} origins`);
  const wrong = allowedOrigins?.find((origin) => !isAllowableOrigin(origin));
  if (wrong !== undefined) faults.push(`allowedOrigins: ${JSON.stringify(wrong)} is not ${ORIGIN_RULE}`);
  return faults;
}

/**
 * Trims the name. Throws `invalid_body` for the given faults, for a bad name, for limits that the plan does not allow, and
 * for an expiry that is not after `afterMs`.
 */
function checkSettings(settings: KeySettings, afterMs: number, faults: string[]): KeySettings {
  if (!KEY_NAME.test(settings.name)) faults.push(`name must be ${nameRule(KEY_NAME_MAX)}`);
  for (const member of ["perMinute", "perDay"] as const) {
    const isSet = settings[member] !== undefined;
    if (isSet && settings.plan !== "enterprise") faults.push(`${member} is for the enterprise plan only`);
  }
  if (settings.shelterId !== undefined && settings.access === "admin") {
    faults.push("shelterId is not for keys with access admin: set it to null (--shelter none)");
  }
  if ((settings.expiresAtMs ?? Infinity) <= afterMs) faults.push("expiresAt must be in the future");
  if (faults.length > 0) throw new ServiceError("invalid_body", { message: faults.join("; ") });
  return { ...settings, name: settings.name.trim() };
}

function changed<T>(wanted: T | null | undefined, current: T | undefined): T | undefined {
  return wanted === undefined ? current : (wanted ?? undefined);
}
