// The records of the audit log about changes of keys.

import { type ApiKey, type KeySettings, keyState } from "./api-key.ts";
import { type AuditAction, type AuditState, findChange, onlySet, type RecordedChange } from "./audit.ts";

/** Without own limits, expiry, shelter and origins that are not set. Without a kind, it is a secret key. */
export function auditCreation(key: ApiKey): RecordedChange {
  const { kind, hint, person } = key;
  const to = {
    ...(kind !== "secret" && { kind }),
    ...onlySet(describeSettings(key)),
    hint,
    ...(person && { personId: person.id }),
  };
  return { action: "key.created", to };
}

/** Undefined if the new settings are the old ones. */
export function auditUpdate(before: ApiKey, after: ApiKey): RecordedChange | undefined {
  const change = findChange(describeSettings(before), describeSettings(after));
  return change && { action: "key.updated", ...change };
}

export function auditRotation(before: ApiKey, after: ApiKey, oldEndsAtMs: number): RecordedChange {
  const to = { hint: after.hint, oldEndsAt: new Date(oldEndsAtMs).toISOString() };
  return { action: "key.rotated", from: { hint: before.hint }, to };
}

export function auditRevocation(
  revoked: ApiKey,
  atMs: number,
  action: AuditAction = "key.revoked",
): RecordedChange {
  const before = keyState({ ...revoked, revokedAtMs: undefined }, atMs);
  return { action, from: { state: before }, to: { state: "revoked" } };
}

export function auditBan(bannedUntilMs: number): RecordedChange & { to: AuditState } {
  return { action: "key.banned", to: { bannedUntil: new Date(bannedUntilMs).toISOString() } };
}

/** Own limits, not the plan's. */
function describeSettings(settings: KeySettings) {
  const { name, plan, access, perMinute, perDay, expiresAtMs, shelterId, allowedOrigins } = settings;
  return {
    name,
    plan,
    access,
    perMinute: perMinute ?? null,
    perDay: perDay ?? null,
    expiresAt: expiresAtMs === undefined ? null : new Date(expiresAtMs).toISOString(),
    shelterId: shelterId ?? null,
    allowedOrigins: allowedOrigins ?? null,
  };
}
