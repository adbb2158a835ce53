// Invitations of people, links for another device, the rules for both, and the interface of their store.

import { DAY_MS, HOUR_MS, MINUTE_MS } from "../basics/durations.ts";
import { ServiceError } from "../basics/errors.ts";
import type { Page } from "../basics/page.ts";
import type { ApiKey, StoredSecret } from "../keys/api-key.ts";
import type { AuditOrigin } from "../keys/audit.ts";
import type { Access } from "../keys/plan.ts";
import { findPersonFaults, type Person, type PersonSettings } from "./person.ts";

export const INVITATION_STATUSES = ["open", "accepted", "revoked", "expired"] as const;
export type InvitationStatus = (typeof INVITATION_STATUSES)[number];

export const INVITATION_DAYS = 7;
export const INVITATION_DAYS_MAX = 30;
/** For access `admin`, counted from the creation. */
export const ADMIN_INVITATION_MS = DAY_MS;
export const ADMIN_INVITATION_HOURS = ADMIN_INVITATION_MS / HOUR_MS;
export const LINK_MINUTES = 10;
export const LINK_MS = LINK_MINUTES * MINUTE_MS;
/** Attempts to accept an invitation, by each address on each node. */
export const ACCEPTS_PER_MINUTE = 300;

export interface Invitation extends PersonSettings {
  id: bigint;
  /** Undefined for a new person until they have accepted. */
  personId?: bigint | undefined;
  createdAtMs: number;
  expiresAtMs: number;
  acceptedAtMs?: number | undefined;
  revokedAtMs?: number | undefined;
}

/** Members of the API: for a new person, or for another device of a known one. */
export interface InvitationWish {
  name?: string | undefined;
  access?: Access | undefined;
  shelterId?: bigint | null | undefined;
  personId?: bigint | undefined;
  expiresAtMs?: number | undefined;
}

export type NewInvitation = { personId: bigint } | PersonSettings;

export interface InvitationFilter {
  status?: InvitationStatus | undefined;
}

/** The result of an accepted invitation. */
export interface Joined {
  person: Person;
  key: ApiKey;
}

/** Codes are stored as hashes. Every change is recorded in the audit log, in the same transaction. */
export interface InvitationStore {
  /** In ascending order of id. */
  list(filter: InvitationFilter, page: Page, nowMs: number): Promise<Invitation[]>;
  /**
   * `findExpiry` gets the access of the invited person, and may throw. Throws `person_not_found` for an unknown or ended
   * person, `invalid_body` for an unknown shelter.
   */
  create(
    invitation: NewInvitation,
    codeHash: Buffer,
    findExpiry: (access: Access) => number,
    origin: AuditOrigin,
  ): Promise<Invitation>;
  /** False for an invitation that is unknown or not open. */
  revoke(id: bigint, origin: AuditOrigin): Promise<boolean>;
  /** A link for another device of the key's person. False if the key was revoked. */
  createLink(keyId: bigint, link: DeviceLink, origin: AuditOrigin): Promise<boolean>;
  /**
   * Creates a key for the invited person. Of many that try one code at once, on any node, one succeeds. Undefined for a code
   * that is unknown, used, revoked or expired. Throws `invalid_transition` if the person has DEVICES_MAX devices.
   */
  accept(codeHash: Buffer, device: NewDevice): Promise<Joined | undefined>;
  /** Deletes links that have expired by `nowMs`, a limited number per call. Resolves to the number deleted. */
  forget(nowMs: number): Promise<number>;
}

interface DeviceLink {
  codeHash: Buffer;
  expiresAtMs: number;
}

export interface NewDevice {
  /** The name of the key. */
  name: string;
  /** Called for a code that is right, and again if the transaction is repeated; the last secret counts. */
  issue: () => StoredSecret;
  atMs: number;
}

/** Throws `invalid_body`, naming every fault. */
export function readInvitation({ name, access, shelterId, personId }: InvitationWish): NewInvitation {
  if (personId !== undefined) {
    const surplus = Object.entries({ name, access, shelterId }).filter(([, value]) => value !== undefined);
    refuseFaults(surplus.map(([member]) => `${member} is not allowed beside personId: change the person`));
    return { personId };
  }
  const missing = Object.entries({ name, access }).filter(([, value]) => value === undefined);
  refuseFaults(missing.map(([member]) => `${member} is required without personId`));
  const settings = { name: name as string, access: access as Access, shelterId: shelterId ?? undefined };
  refuseFaults(findPersonFaults(settings));
  return { ...settings, name: settings.name.trim() };
}

/** Throws `invalid_body` for a time in the past, or later than is allowed. */
export function findInvitationExpiry(access: Access, expiresAtMs: number | undefined, nowMs: number): number {
  const isAdmin = access === "admin";
  const mostMs = isAdmin ? ADMIN_INVITATION_MS : INVITATION_DAYS_MAX * DAY_MS;
  if (expiresAtMs === undefined) return nowMs + Math.min(mostMs, INVITATION_DAYS * DAY_MS);
  if (expiresAtMs <= nowMs) refuseFaults(["expiresAt must be in the future"]);
  const most = isAdmin
    ? `${ADMIN_INVITATION_HOURS} hours for access admin`
    : `${INVITATION_DAYS_MAX} days from now`;
  if (expiresAtMs > nowMs + mostMs) refuseFaults([`expiresAt may be at most ${most}`]);
  return expiresAtMs;
}

function refuseFaults(faults: string[]): void {
  if (faults.length > 0) throw new ServiceError("invalid_body", { message: faults.join("; ") });
}

function invitationStatus(invitation: Invitation, nowMs: number): InvitationStatus {
  if (invitation.acceptedAtMs !== undefined) return "accepted";
  if (invitation.revokedAtMs !== undefined) return "revoked";
  return invitation.expiresAtMs <= nowMs ? "expired" : "open";
}

/** The invitation as the API and the command show it, without its code. */
export function describeInvitation(invitation: Invitation, nowMs: number) {
  const { id, name, access, shelterId, personId, createdAtMs, expiresAtMs, acceptedAtMs } = invitation;
  return {
    id,
    name,
    access,
    ...(shelterId !== undefined && { shelterId }),
    ...(personId !== undefined && { personId }),
    status: invitationStatus(invitation, nowMs),
    createdAt: new Date(createdAtMs),
    expiresAt: new Date(expiresAtMs),
    ...(acceptedAtMs !== undefined && { acceptedAt: new Date(acceptedAtMs) }),
  };
}

/** The address that a code is sent as. Browsers do not send the part after the number sign to a server. */
export function joinUrl(publicUrl: string, code: string): string {
  return `${publicUrl}/#join/${code}`;
}
