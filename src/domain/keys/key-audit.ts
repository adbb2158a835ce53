// What the audit log says about changes of keys.

import { type AuditState, findChange, type NewAuditRecord } from "../audit.ts";
import { type ApiKey, type KeySettings, keyState } from "./api-key.ts";

export type KeyRecord = Pick<NewAuditRecord, "action" | "from" | "to">;

/** Without own limits and expiry that are not set. */
export function auditCreation(key: ApiKey): KeyRecord {
  const set = Object.entries(describeSettings(key)).filter(([, value]) => value !== null);
  return { action: "key.created", to: { ...Object.fromEntries(set), hint: key.hint } };
}

/** Undefined if the new settings are the old ones. */
export function auditUpdate(before: ApiKey, after: ApiKey): KeyRecord | undefined {
  const change = findChange(describeSettings(before), describeSettings(after));
  return change && { action: "key.updated", ...change };
}

export function auditRotation(before: ApiKey, after: ApiKey, oldEndsAtMs: number): KeyRecord {
  const to = { hint: after.hint, oldEndsAt: new Date(oldEndsAtMs).toISOString() };
  return { action: "key.rotated", from: { hint: before.hint }, to };
}

export function auditRevocation(revoked: ApiKey, atMs: number): KeyRecord {
  const before = keyState({ ...revoked, revokedAtMs: undefined }, atMs);
  return { action: "key.revoked", from: { state: before }, to: { state: "revoked" } };
}

export function auditBan(bannedUntilMs: number): KeyRecord & { to: AuditState } {
  return { action: "key.banned", to: { bannedUntil: new Date(bannedUntilMs).toISOString() } };
}

/** Own limits, not those of the plan. */
function describeSettings({ name, plan, access, perMinute, perDay, expiresAtMs }: KeySettings) {
  return {
    name,
    plan,
    access,
    perMinute: perMinute ?? null,
    perDay: perDay ?? null,
    expiresAt: expiresAtMs === undefined ? null : new Date(expiresAtMs).toISOString(),
  };
}
