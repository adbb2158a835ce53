// Reads all people and all keys, as far as the key of the user may: neither has a search of its own.

import type { ApiKey, Person } from "../../../client/src/client.ts";
import { isAllowed } from "../shared/state/permissions.ts";
import { readAll } from "../shared/state/read-all.ts";
import { readPeople } from "./read-people.ts";

export interface Directory {
  people: Promise<Person[]>;
  keys: Promise<ApiKey[]>;
}

export function readDirectory(signal: AbortSignal): Directory {
  const people = isAllowed("listPeople") ? readPeople(signal).then(({ items }) => items) : [];
  const keys = isAllowed("listKeys") ? readKeys(signal) : [];
  const directory = { people: Promise.resolve(people), keys: Promise.resolve(keys) };
  // Who waits for them handles it.
  for (const each of Object.values(directory)) each.catch(() => {});
  return directory;
}

async function readKeys(signal: AbortSignal): Promise<ApiKey[]> {
  const all = await readAll((client, limit) => client.listKeys({ limit }, { signal }));
  return all.items;
}
