// The names of categories, which several views put in place of identifiers.

import { signal } from "@preact/signals";
import type { Category, Int64 } from "../../../client/src/client.ts";
import { ask } from "./session.ts";

export const categories = signal<Category[]>([]);

export async function loadCategories(): Promise<Category[]> {
  const all: Category[] = [];
  await ask(async (client) => {
    for await (const category of client.listCategories({ limit: 100 })) all.push(category);
  });
  categories.value = all;
  return all;
}

/** Undefined for a category without a name. */
export function categoryName(id: Int64): string | undefined {
  return categories.value.find((category) => String(category.id) === String(id))?.name;
}
