// Reads the filters of the audit log from the address, and decides which records they keep.

import { type AuditAction, type AuditRecord, VALUES } from "../../../client/src/client.ts";
import { queryChoice, queryValue } from "../shared/state/place.ts";

/** Who acted, as it is written in the address: `person-3`, `key-2`, or one of these. */
export const COMMANDS = "commands";
export const SERVICE = "service";

/** The service records its own changes as this command. */
export const SERVICE_COMMAND = "serve";
/** A year that is still being typed, such as 0002, is not searched. */
const FIRST_YEAR = 2000;

export interface AuditFilter {
  by: string | undefined;
  action: AuditAction | undefined;
  /** Days such as `2026-11-19`, as typed, in the time zone of the browser; both belong to the period. */
  from: string | undefined;
  until: string | undefined;
}

export function currentFilter(): AuditFilter {
  return {
    by: queryValue("by"),
    action: queryChoice("action", VALUES.AuditAction),
    from: queryValue("from"),
    until: queryValue("until"),
  };
}

export function countSet(filter: AuditFilter): number {
  return Object.values(filter).filter((value) => value !== undefined).length;
}

/** `startMs` and `endMs` are undefined where the period is open. */
export interface AuditSearch {
  startMs: number | undefined;
  isWanted: (record: AuditRecord) => boolean;
}

export function searchFor({ by, action, from, until }: AuditFilter): AuditSearch {
  const startMs = startOfDay(from);
  const endMs = startOfDay(until, 1);
  return {
    startMs,
    isWanted: (record) => {
      const atMs = Date.parse(record.timestamp);
      return (
        (action === undefined || record.action === action) &&
        (by === undefined || actorsOf(record).includes(by)) &&
        (startMs === undefined || atMs >= startMs) &&
        (endMs === undefined || atMs < endMs)
      );
    },
  };
}

/** A person acts with a key, so both name them. */
function actorsOf({ actor: { keyId, person, command } }: AuditRecord): string[] {
  if (command !== undefined) return [command === SERVICE_COMMAND ? SERVICE : COMMANDS];
  const key = `key-${keyId}`;
  return person === undefined ? [key] : [key, `person-${person.id}`];
}

/** Undefined for no day and for an address that was typed by hand. Days with a change of the clock have another length. */
function startOfDay(day: string | undefined, daysLater = 0): number | undefined {
  const start = new Date(`${day}T00:00`);
  if (day === undefined || !(start.getFullYear() >= FIRST_YEAR)) return undefined;
  start.setDate(start.getDate() + daysLater);
  return start.getTime();
}
