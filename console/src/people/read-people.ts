// Reads the people of the store, and the devices of one of them: the service has a list of people and a list of keys.

import type { ApiKey, Client, Int64, Pages, Person } from "../../../client/src/client.ts";
import { PAGE_LIMIT_MAX } from "../../../src/domain/basics/list-limits.ts";
import { findIdentifier } from "../shared/state/identifier.ts";
import { ask, session } from "../shared/state/session.ts";

const PAGES_MAX = 10;
export const READ_MAX = PAGES_MAX * PAGE_LIMIT_MAX;

export interface ReadPeople {
  items: Person[];
  /** True if there are more than were read. */
  isCut: boolean;
}

/** By name; those whose access has ended come last. */
export async function readPeople(signal: AbortSignal): Promise<ReadPeople> {
  const { items, isCut } = await readAll((client) =>
    client.listPeople({ limit: PAGE_LIMIT_MAX }, { signal }),
  );
  const sorted = items.sort(
    (a, b) => Number(isEnded(a)) - Number(isEnded(b)) || a.name.localeCompare(b.name),
  );
  return { items: sorted, isCut };
}

export function isEnded({ status }: Pick<Person, "status">): boolean {
  return status === "ended";
}

export function isOwnPerson({ id }: Pick<Person, "id">): boolean {
  const own = session.value?.person;
  return own !== undefined && isSame(own.id, id);
}

export interface PersonInUse {
  person: Person;
  devices: ApiKey[];
}

/** Null for an id that no person has. */
export async function readPerson(text: string, signal: AbortSignal): Promise<PersonInUse | null> {
  const id = findIdentifier(text);
  if (id === undefined) return null;
  const [people, keys] = await Promise.all([
    readAll(
      (client) => client.listPeople({ limit: PAGE_LIMIT_MAX }, { signal }),
      (person) => isSame(person.id, id),
    ),
    readAll(
      (client) => client.listKeys({ limit: PAGE_LIMIT_MAX }, { signal }),
      (key) => key.person !== undefined && isSame(key.person.id, id) && key.state === "active",
    ),
  ]);
  const [person] = people.items;
  return person === undefined ? null : { person, devices: keys.items.sort(byLastUse) };
}

function isSame(one: Int64, other: Int64): boolean {
  return String(one) === String(other);
}

function byLastUse(a: ApiKey, b: ApiKey): number {
  return (b.lastUsedAt ?? b.createdAt).localeCompare(a.lastUsedAt ?? a.createdAt);
}

/** A limited number of pages. */
export function readAll<T>(
  list: (client: Client) => Pages<T>,
  isWanted: (item: T) => boolean = () => true,
): Promise<{ items: T[]; isCut: boolean }> {
  return ask(async (client) => {
    const items: T[] = [];
    let pages = 0;
    for await (const page of list(client).pages()) {
      items.push(...page.items.filter(isWanted));
      pages += 1;
      if (pages === PAGES_MAX) return { items, isCut: page.next !== undefined };
    }
    return { items, isCut: false };
  });
}
