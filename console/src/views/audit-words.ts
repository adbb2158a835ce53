// The words of the audit log: actions, and changed members with their values.

import type { AuditAction, AuditState } from "../../../client/src/client.ts";
import { formatCount, formatMoment } from "../state/format.ts";

export const ACTION_LABELS: Record<AuditAction, string> = {
  "key.created": "Key created",
  "key.updated": "Key changed",
  "key.rotated": "Key rotated",
  "key.revoked": "Key revoked",
  "key.banned": "Key banned",
  "key.unbanned": "Ban lifted",
  "webhook.created": "Webhook created",
  "webhook.updated": "Webhook changed",
  "webhook.rotated": "Webhook rotated",
  "webhook.deleted": "Webhook deleted",
  "webhook.disabled": "Webhook disabled",
  "data.imported": "Animals imported",
  "data.restored": "Data restored",
  "data.copied": "Data copied",
};

interface Member {
  label: string;
  format?: (value: never) => string;
  /** Shown for null. */
  none?: string;
}

const showTime = (value: string) => formatMoment(new Date(value));
const showStart = (value: string) => `${value}…`;

const MEMBERS: Record<keyof AuditState, Member> = {
  name: { label: "Name" },
  plan: { label: "Plan" },
  access: { label: "Access" },
  perMinute: { label: "Requests per minute", format: formatCount, none: "as in the plan" },
  perDay: { label: "Requests per day", format: formatCount, none: "as in the plan" },
  expiresAt: { label: "Expires", format: showTime, none: "never" },
  hint: { label: "Begins with", format: showStart },
  oldEndsAt: { label: "Old secret works until", format: showTime },
  state: { label: "State" },
  bannedUntil: { label: "Banned until", format: showTime },
  url: { label: "Address" },
  types: { label: "Events", format: (types: string[]) => types.join(", "), none: "all" },
  description: { label: "Description" },
  status: { label: "Status" },
  disabledReason: { label: "Reason" },
  pets: { label: "Animals", format: formatCount },
  firstId: { label: "First id" },
  lastId: { label: "Last id" },
  updated: { label: "Changed animals", format: formatCount },
  store: { label: "Store" },
};

interface ChangeWords {
  label: string;
  /** Undefined if the member is new. */
  before: string | undefined;
  after: string;
}

/** Changed members in the order of the table above; those of a newer service by their own names. */
export function describeChanges(from: AuditState | undefined, to: AuditState | undefined): ChangeWords[] {
  const given = new Set(Object.keys({ ...from, ...to }));
  const known = Object.keys(MEMBERS).filter((name) => given.has(name));
  const names = [...new Set([...known, ...given])] as Array<keyof AuditState>;
  return names.map((name) => {
    const member: Member = MEMBERS[name] ?? { label: name };
    const before = from?.[name];
    return {
      label: member.label,
      before: before === undefined ? undefined : describe(member, before),
      after: describe(member, to?.[name]),
    };
  });
}

function describe({ format, none }: Member, value: unknown): string {
  if (value === undefined || value === null || value === "") return none ?? "none";
  return format === undefined ? String(value) : format(value as never);
}
