// The shelters of the store with their names and contacts. Most stores have one; views differ where there are several.

import { signal } from "@preact/signals";
import type { CallOptions, Client, Int64, Shelter } from "../../../../client/src/client.ts";
import { PAGE_LIMIT_MAX } from "../../../../src/domain/basics/list-limits.ts";
import { t } from "../texts/language.ts";

/** It exists from the start, and cannot be deleted. A test compares it with the service. */
export const FIRST_SHELTER = { id: 1, name: "Our shelter" };

/** Undefined until they are read. */
export const shelters = signal<{ items: Shelter[] } | undefined>(undefined);
/** True while shelters after the first page, or changes of others, are not read. */
let isOutdated = true;

/** Never rejects: read before the first view, so that nothing moves when they arrive. Without them, there seems to be one. */
export async function readFirstShelters(client: Client, signal?: AbortSignal): Promise<void> {
  shelters.value = undefined;
  isOutdated = true;
  try {
    const page = await client.listShelters({ limit: PAGE_LIMIT_MAX }, { signal, retries: 0 }).page();
    shelters.value = { items: page.items };
    isOutdated = page.next !== undefined;
  } catch {
    // The views that need them read them again.
  }
}

/** Nothing is read while the shelters are up to date. */
export async function updateShelters(client: Client, options: CallOptions): Promise<void> {
  if (!isOutdated) return;
  isOutdated = false;
  try {
    const items: Shelter[] = [];
    for await (const shelter of client.listShelters({ limit: PAGE_LIMIT_MAX }, options)) items.push(shelter);
    shelters.value = { items };
  } catch (error) {
    isOutdated = true;
    throw error;
  }
}

export function markSheltersChanged(): void {
  isOutdated = true;
}

export function hasSeveralShelters(): boolean {
  return (shelters.value?.items.length ?? 0) > 1;
}

/** Undefined for a shelter that was deleted. */
export function findShelter(id: Int64): Shelter | undefined {
  return shelters.value?.items.find((shelter) => String(shelter.id) === String(id));
}

/** One that was deleted has only its number. */
export function shelterName(id: Int64): string {
  return findShelter(id)?.name ?? t().shelters.numbered(String(id));
}

/** With the chosen one, also if it is not read: a select without its option would show and send another one. */
export function shelterChoices(chosen?: Int64): Array<[value: string, text: string]> {
  const isMissing = chosen !== undefined && findShelter(chosen) === undefined;
  const known = (shelters.value?.items ?? []).map(({ id, name }): [string, string] => [String(id), name]);
  return isMissing ? [[String(chosen), shelterName(chosen)], ...known] : known;
}

/** Whether people can find and reach the shelter. */
export function isReachable({ email, phone, website, address }: Shelter): boolean {
  return (email ?? phone ?? website) !== undefined && address?.city !== undefined;
}
