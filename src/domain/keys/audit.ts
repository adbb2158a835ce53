// The audit log: who changed the service itself, when, and how. A record is written in the transaction of its change.

import { exactJson } from "../../tools/exact-json.ts";
import type { Page } from "../basics/page.ts";
import type { PersonName } from "./person-name.ts";

export const AUDIT_ACTIONS = [
  "key.created",
  "key.updated",
  "key.rotated",
  "key.revoked",
  "key.banned",
  "key.unbanned",
  "webhook.created",
  "webhook.updated",
  "webhook.rotated",
  "webhook.deleted",
  "webhook.disabled",
  "shelter.created",
  "shelter.updated",
  "shelter.deleted",
  "site.updated",
  "invitation.created",
  "invitation.accepted",
  "invitation.revoked",
  "person.updated",
  "person.ended",
  "session.linked",
  "session.ended",
  "data.imported",
  "data.restored",
  "data.copied",
] as const;
export type AuditAction = (typeof AUDIT_ACTIONS)[number];

/** An API key, read with its person, or an operator's command; what the service does by itself is done by `serve`. Key 0 is ADMIN_API_KEY. */
export type Actor = { keyId: bigint; person?: PersonName | undefined } | { command: string };
export const SERVICE_ACTOR: Actor = { command: "serve" };

/** The changed object, or the data by a file, of which only the name is stored. */
export type AuditTarget =
  | { keyId: bigint }
  | { webhookId: bigint }
  | { shelterId: bigint }
  | { personId: bigint }
  | { invitationId: bigint }
  | { file: string };

/** Members by their names in the API, times as RFC 3339. Never a secret or its hash. Null: the member was not set. */
export interface AuditState {
  /** Keys, shelters and people have a name. */
  name?: string;
  /** The person of a key, or the one whom an invitation is for. */
  personId?: bigint;
  /** Members of a key. */
  plan?: string;
  access?: string;
  perMinute?: number | null;
  perDay?: number | null;
  expiresAt?: string | null;
  shelterId?: bigint | null;
  kind?: string;
  allowedOrigins?: string[] | null;
  hint?: string;
  oldEndsAt?: string;
  state?: string;
  bannedUntil?: string;
  /** Members of a webhook, an invitation or a person. */
  url?: string;
  types?: string[] | null;
  description?: string | null;
  status?: string;
  disabledReason?: string | null;
  /** Members of a shelter. */
  about?: string | null;
  email?: string | null;
  phone?: string | null;
  website?: string | null;
  adoptUrl?: string | null;
  address?: object | null;
  location?: object | null;
  openingHours?: string | null;
  /** Members of the public site. */
  isPublic?: boolean;
  title?: string | null;
  introduction?: string | null;
  language?: string;
  accent?: string | null;
  /** Members of an import. */
  pets?: number;
  firstId?: bigint;
  lastId?: bigint;
  updated?: number;
  /** Members of a restored or copied store. */
  store?: string;
}

export interface AuditOrigin {
  actor: Actor;
  atMs: number;
}

export interface NewAuditRecord extends AuditOrigin {
  action: AuditAction;
  /** Absent if the site was changed, or the whole store was replaced. */
  target?: AuditTarget | undefined;
  from?: AuditState | undefined;
  to?: AuditState | undefined;
}

/** Without who, when and on which object. */
export type RecordedChange = Pick<NewAuditRecord, "action" | "from" | "to">;

export interface AuditRecord extends NewAuditRecord {
  /** Increases by one with every record; no record becomes visible before one with a lower number. */
  number: bigint;
}

export interface AuditStore {
  /** Newest first; `page.after` is the number before which the page begins. */
  list(page: Page): Promise<AuditRecord[]>;
  /** One of several calls for the same ban, on any node, writes a record. A ban is known by its key and its end. */
  recordBan(keyId: bigint, bannedUntilMs: number, atMs: number): Promise<void>;
}

/** The record as clients see it, without undefined members. */
export function describeAuditRecord({ number, atMs, action, actor, target, from, to }: AuditRecord) {
  return {
    number,
    timestamp: new Date(atMs),
    action,
    actor,
    ...(target && { target }),
    ...(from && { from }),
    ...(to && { to }),
  };
}

/**
 * The members that differ, before and after; undefined if none does. Both states must have the same members. Compared as
 * JSON, because a webhook has an array of types and a shelter has objects.
 */
export function findChange<T extends AuditState>(
  before: T,
  after: T,
): { from: AuditState; to: AuditState } | undefined {
  const names = (Object.keys(after) as Array<keyof T>).filter(
    (name) => exactJson(before[name]) !== exactJson(after[name]),
  );
  if (names.length === 0) return undefined;
  const select = (state: T): AuditState => Object.fromEntries(names.map((name) => [name, state[name]]));
  return { from: select(before), to: select(after) };
}

/** Without the members that are null. */
export function onlySet(state: object): AuditState {
  return Object.fromEntries(Object.entries(state).filter(([, value]) => value !== null));
}
