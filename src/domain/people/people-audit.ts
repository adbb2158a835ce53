// The records of the audit log about people, invitations and their devices.

import { findChange, onlySet, type RecordedChange } from "../keys/audit.ts";
import type { Invitation, NewInvitation } from "./invitation.ts";
import type { PersonSettings } from "./person.ts";

/** Undefined if the new settings are the old ones. */
export function auditPersonUpdate(before: PersonSettings, after: PersonSettings): RecordedChange | undefined {
  const change = findChange(settingsOf(before), settingsOf(after));
  return change && { action: "person.updated", ...change };
}

export function auditPersonEnd(): RecordedChange {
  return { action: "person.ended", from: { status: "active" }, to: { status: "ended" } };
}

export function auditInvitationCreation(invitation: NewInvitation, expiresAtMs: number): RecordedChange {
  const invited = "personId" in invitation ? invitation : onlySet(settingsOf(invitation));
  return { action: "invitation.created", to: { ...invited, expiresAt: timeText(expiresAtMs) } };
}

export function auditInvitationAcceptance({ personId }: Pick<Invitation, "personId">): RecordedChange {
  const to = { status: "accepted", ...(personId !== undefined && { personId }) };
  return { action: "invitation.accepted", from: { status: "open" }, to };
}

export function auditInvitationRevocation(): RecordedChange {
  return { action: "invitation.revoked", from: { status: "open" }, to: { status: "revoked" } };
}

export function auditLink(expiresAtMs: number): RecordedChange {
  return { action: "session.linked", to: { expiresAt: timeText(expiresAtMs) } };
}

function settingsOf({ name, access, shelterId }: PersonSettings) {
  return { name, access, shelterId: shelterId ?? null };
}

function timeText(ms: number): string {
  return new Date(ms).toISOString();
}
