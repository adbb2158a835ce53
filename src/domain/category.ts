// The category: a name for people to read, for an identifier that animals carry with or without one.

import type { Page } from "./page.ts";

export const CATEGORY_NAME_MAX = 100;

export interface Category {
  id: bigint;
  name: string;
}

export interface CategoryStore {
  /** By id, rising, at most `page.limit`, starting after `page.after`. */
  list(page: Page): Promise<Category[]>;
  /** Creates or renames. */
  put(category: Category): Promise<"created" | "renamed">;
  /** False when the identifier has no name. */
  delete(id: bigint): Promise<boolean>;
}
