// Names of keys and people for the audit log and the history, which have identifiers.

import { effect, type Signal, signal } from "@preact/signals";
import type { ApiKey, Client, Int64, Pages } from "../../../../client/src/client.ts";
import { PAGE_LIMIT_MAX } from "../../../../src/domain/basics/list-limits.ts";
import { ask, session } from "./session.ts";

/** The number of the key in the settings of the service, which is not stored, is in no list and has no page. */
export const OPERATOR_KEY_ID = "0";
/** Where there are more, the others are shown with their number. */
const PAGES_MAX = 10;

type Names = Signal<ReadonlyMap<string, string>>;
const keyNames: Names = signal(new Map());
const personNames: Names = signal(new Map());

/** Undefined for a key in no list that was loaded. */
export function keyName(id: Int64): string | undefined {
  return keyNames.value.get(String(id));
}

/** As `keyName`. */
export function personName(id: Int64): string | undefined {
  return personNames.value.get(String(id));
}

/** Never rejects: names are optional. */
export function loadKeyNames(ids: Int64[], signal: AbortSignal): Promise<void> {
  const list = (client: Client) => client.listKeys({ limit: PAGE_LIMIT_MAX }, { signal });
  return load<ApiKey>(keyNames, ids, list, describeKey);
}

/** As `loadKeyNames`. */
export function loadPersonNames(ids: Int64[], signal: AbortSignal): Promise<void> {
  const list = (client: Client) => client.listPeople({ limit: PAGE_LIMIT_MAX }, { signal });
  return load(personNames, ids, list, ({ name }) => name);
}

/** The key of a person is called like their device. */
export function describeKey({ name, person }: Pick<ApiKey, "name" | "person">): string {
  return person === undefined ? name : `${person.name}, ${name}`;
}

async function load<T extends { id: Int64 }>(
  names: Names,
  ids: Int64[],
  list: (client: Client) => Pages<T>,
  nameOf: (item: T) => string,
): Promise<void> {
  const isMissing = () => ids.some((id) => !names.peek().has(String(id)));
  if (!isMissing()) return;
  try {
    await ask(async (client) => {
      let pages = 0;
      for await (const { items } of list(client).pages()) {
        names.value = new Map([
          ...names.value,
          ...items.map((item) => [String(item.id), nameOf(item)] as const),
        ]);
        pages += 1;
        if (!isMissing() || pages === PAGES_MAX) return;
      }
    });
  } catch {
    // The numbers are shown.
  }
}

effect(() => {
  if (session.value !== undefined) return;
  keyNames.value = new Map();
  personNames.value = new Map();
});
