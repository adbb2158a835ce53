// Names of keys for the audit log, which has identifiers only.

import { effect, signal } from "@preact/signals";
import type { Int64 } from "../../../../client/src/client.ts";
import { PAGE_LIMIT_MAX } from "../../../../src/domain/basics/list-limits.ts";
import { ask, session } from "./session.ts";

/** Where there are more keys, the others are shown with their number. */
const PAGES_MAX = 10;

const names = signal<ReadonlyMap<string, string>>(new Map());

/** Undefined for a key in no list that was loaded. */
export function keyName(id: Int64): string | undefined {
  return names.value.get(String(id));
}

/** Never rejects: names are optional. */
export async function loadKeyNames(ids: Int64[], signal: AbortSignal): Promise<void> {
  const isMissing = () => ids.some((id) => keyName(id) === undefined);
  if (!isMissing()) return;
  try {
    await ask(async (client) => {
      let pages = 0;
      for await (const { items } of client.listKeys({ limit: PAGE_LIMIT_MAX }, { signal }).pages()) {
        names.value = new Map([...names.value, ...items.map(({ id, name }) => [String(id), name] as const)]);
        pages += 1;
        if (!isMissing() || pages === PAGES_MAX) return;
      }
    });
  } catch {
    // The numbers are shown.
  }
}

effect(() => {
  if (session.value === undefined) names.value = new Map();
});
