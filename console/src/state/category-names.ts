// The names of categories, shown instead of their identifiers. Read once, and again after a change, also by others.

import { effect, signal } from "@preact/signals";
import type { Category, Int64 } from "../../../client/src/client.ts";
import { onEvent } from "./live.ts";
import { ask, session } from "./session.ts";

/** Undefined until they are loaded. */
export const categories = signal<{ items: Category[] } | undefined>(undefined);
let lastLoad = 0;
let isOutdated = false;

/** When two loads overlap, the one that started last wins. */
export async function loadCategories(): Promise<void> {
  lastLoad += 1;
  isOutdated = false;
  const load = lastLoad;
  const items: Category[] = [];
  await ask(async (client) => {
    for await (const category of client.listCategories({ limit: 100 })) items.push(category);
  });
  if (load === lastLoad) categories.value = { items };
}

export async function ensureCategories(): Promise<void> {
  if (categories.value === undefined || isOutdated) await loadCategories();
}

/** The next view that needs them loads them again. */
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

onEvent((event) => {
  if (event === undefined || event.type.startsWith("category.")) isOutdated = true;
});

effect(() => {
  if (session.value === undefined) forgetCategories();
});
