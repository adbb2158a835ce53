// The names of categories, shown instead of their identifiers. Read once, and again after a change, also by others.

import { effect, signal } from "@preact/signals";
import type { CallOptions, Category, Int64 } from "../../../../client/src/client.ts";
import { PAGE_LIMIT_MAX } from "../../../../src/domain/basics/list-limits.ts";
import { onEvent } from "./live.ts";
import { ask, session } from "./session.ts";

export const categories = signal<{ items: Category[] } | undefined>(undefined);
/** The read that started last, while it runs. */
let running: Promise<void> | undefined;
let isOutdated = false;

export async function readCategories(options: CallOptions): Promise<{ items: Category[] }> {
  const items: Category[] = [];
  await ask(async (client) => {
    for await (const category of client.listCategories({ limit: PAGE_LIMIT_MAX }, options))
      items.push(category);
  });
  return { items };
}

/** When two loads overlap, the one that started last wins. */
function loadCategories(options: CallOptions): Promise<void> {
  isOutdated = false;
  const load = readCategories(options)
    .then(
      (read) => {
        if (load === running) categories.value = read;
      },
      (error) => {
        isOutdated = true;
        throw error;
      },
    )
    .finally(() => {
      if (load === running) running = undefined;
    });
  running = load;
  return load;
}

/** Views that need them at the same time share a read. */
export async function ensureCategories(options: CallOptions = {}): Promise<void> {
  if (isOutdated || (categories.value === undefined && running === undefined)) await loadCategories(options);
  else await running;
}

/** The next view that needs them loads them again. */
export function forgetCategories(): void {
  categories.value = undefined;
  running = undefined;
}

export function forgetCategory(id: Int64): void {
  const items = categories.value?.items.filter((category) => String(category.id) !== String(id));
  categories.value = items && { items };
}

export function firstFreeNumber(known: Category[]): number {
  const taken = new Set(known.map(({ id }) => String(id)));
  let free = 1;
  while (taken.has(String(free))) free += 1;
  return free;
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
