// The category: a name for a category id. Animals may have an id without a name.

import type { Page } from "../basics/page.ts";
import type { ChangeOrigin } from "./history.ts";

export interface Category {
  id: bigint;
  name: string;
}

export interface CategoryStore {
  /** In ascending order of id, at most `page.limit`, starting after `page.after`. */
  list(page: Page): Promise<Category[]>;
  /** Creates or renames. */
  put(category: Category, origin: ChangeOrigin): Promise<"created" | "renamed">;
  /** False if the identifier has no name. */
  delete(id: bigint, origin: ChangeOrigin): Promise<boolean>;
}
