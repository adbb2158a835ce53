// The names of categories, which several views put in place of identifiers: read once, and again where they are changed.

import { effect, signal } from "@preact/signals";
import type { Category, Int64 } from "../../../client/src/client.ts";
import { ask, session } from "./session.ts";

/** Undefined before they were read. */
export const categories = signal<{ items: Category[] } | undefined>(undefined);
let newest = 0;

/** Of two answers the one asked for last counts. */
export async function loadCategories(): Promise<void> {
  newest += 1;
  const turn = newest;
  const items: Category[] = [];
  await ask(async (client) => {
    for await (const category of client.listCategories({ limit: 100 })) items.push(category);
  });
  if (turn === newest) categories.value = { items };
}

export async function knowCategories(): Promise<void> {
  if (categories.value === undefined) await loadCategories();
}

/** Who needs them next reads them anew. */
export function forgetCategories(): void {
  categories.value = undefined;
}

export function forgetCategory(id: Int64): void {
  const items = categories.value?.items.filter((category) => String(category.id) !== String(id));
  categories.value = items && { items };
}

/** Undefined for a category without a name. */
export function categoryName(id: Int64): string | undefined {
  return categories.value?.items.find((category) => String(category.id) === String(id))?.name;
}

effect(() => {
  if (session.value === undefined) forgetCategories();
});
