// Reads the people of the store, and the devices of one of them: the service has a list of people and a list of keys.

import type { ApiKey, Int64, Person } from "../../../client/src/client.ts";
import { findIdentifier } from "../shared/state/identifier.ts";
import { readAll } from "../shared/state/read-all.ts";
import { session } from "../shared/state/session.ts";

export interface ReadPeople {
  items: Person[];
  /** True if there are more than were read. */
  isCut: boolean;
}

/** By name; those whose access has ended come last. */
export async function readPeople(signal: AbortSignal): Promise<ReadPeople> {
  const { items, isCut } = await readAll((client, limit) => client.listPeople({ limit }, { signal }));
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
      (client, limit) => client.listPeople({ limit }, { signal }),
      (person) => isSame(person.id, id),
    ),
    readAll(
      (client, limit) => client.listKeys({ limit }, { signal }),
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
