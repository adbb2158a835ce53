// Reads a page of the audit log. The service has no filters for it, so a filter reads more of the log and searches that.

import type { AuditRecord } from "../../../client/src/client.ts";
import { PAGE_LIMIT_MAX } from "../../../src/domain/basics/list-limits.ts";
import { ask } from "../shared/state/session.ts";
import { type AuditFilter, countSet, searchFor } from "./audit-filter.ts";

/** Then the user is asked whether to go on. */
const SEARCHED_PAGES_MAX = 10;
export const SEARCHED_MAX = SEARCHED_PAGES_MAX * PAGE_LIMIT_MAX;
/** Found records that are enough for a page; it has all that were read with them. */
const ENOUGH = 20;

export interface AuditPage {
  items: AuditRecord[];
  next: string | undefined;
  /** Where the search has stopped, if older records may fit, too. */
  searchedTo: string | undefined;
}

export async function readAudit(
  filter: AuditFilter,
  cursor: string | undefined,
  signal: AbortSignal,
): Promise<AuditPage> {
  if (countSet(filter) > 0) return search(filter, cursor, signal);
  const { items, next } = await ask((client) => client.listAudit({ cursor }, { signal }).page());
  return { items, next, searchedTo: undefined };
}

function search(filter: AuditFilter, cursor: string | undefined, signal: AbortSignal): Promise<AuditPage> {
  const { startMs = 0, isWanted } = searchFor(filter);
  return ask(async (client) => {
    const items: AuditRecord[] = [];
    let pages = 0;
    for await (const page of client.listAudit({ cursor, limit: PAGE_LIMIT_MAX }, { signal }).pages()) {
      items.push(...page.items.filter(isWanted));
      pages += 1;
      const oldest = page.items.at(-1)?.timestamp;
      if (oldest === undefined || page.next === undefined || Date.parse(oldest) < startMs) break;
      if (items.length >= ENOUGH || pages === SEARCHED_PAGES_MAX)
        return { items, next: page.next, searchedTo: oldest };
    }
    return { items, next: undefined, searchedTo: undefined };
  });
}
