// Creates the categories that a file names and the store does not have.

import type { Category } from "../../domain/animals/category.ts";
import type { ChangeOrigin } from "../../domain/animals/history.ts";
import { ServiceError } from "../../domain/basics/errors.ts";
import { nameKey } from "../../domain/basics/name-key.ts";
import type { Database, Transaction } from "../../storage/database.ts";
import {
  addCategories,
  findHighestCategoryId,
  listAllCategories,
} from "../../storage/stores/animals/categories.ts";
import type { CategoryNames } from "./category-names.ts";
import type { NamedCategory } from "./read-row.ts";

/** Ids that programs with doubles can represent. */
const ID_MAX = BigInt(Number.MAX_SAFE_INTEGER);

/**
 * Assigns the ids of missing categories, and resolves to the created ones. In one transaction: an interrupted import has
 * created all of them or none. Categories that others have created since the check are used, so a repeated call creates
 * nothing twice.
 */
export async function createCategories(
  db: Database,
  names: CategoryNames,
  origin: ChangeOrigin,
): Promise<Category[]> {
  const missing = names.missing();
  if (missing.length === 0) return [];
  // Before the transaction, because it reads all animals: an id that animals have is not free.
  const used = await findHighestCategoryId(db, ID_MAX);
  const highest = used > names.highestId() ? used : names.highestId();
  const work = (tx: Transaction) => createMissing(tx, missing, { highest, origin });
  const { created, ids } = await db.transaction(work, { inOrder: true });
  for (const [category, id] of ids) category.id = id;
  return created;
}

async function createMissing(
  tx: Transaction,
  missing: NamedCategory[],
  { highest, origin }: { highest: bigint; origin: ChangeOrigin },
): Promise<{ created: Category[]; ids: Map<NamedCategory, bigint> }> {
  const stored = await listAllCategories(tx);
  const given = missing.flatMap(({ id }) => (id === undefined ? [] : [id]));
  let last = [highest, ...given, ...stored.map(({ id }) => id)]
    .filter((id) => id < ID_MAX)
    .reduce((one, other) => (one > other ? one : other), 0n);
  const created: Category[] = [];
  const ids = new Map<NamedCategory, bigint>();
  for (const category of missing) {
    const existing = findExisting(category, stored);
    if (existing === undefined) {
      if (category.id === undefined) last += 1n;
      created.push({ id: category.id ?? last, name: category.name });
    }
    ids.set(category, existing ?? category.id ?? last);
  }
  if (last >= ID_MAX)
    throw new ServiceError("invalid_parameter", {
      message: `There is no free category id after ${ID_MAX}. Create the categories through the API and give the categoryId.`,
    });
  await addCategories(tx, created, origin);
  return { created, ids };
}

/** The id of a category that was created since the file was checked. Throws if it contradicts the file. */
function findExisting({ id, name }: NamedCategory, stored: Category[]): bigint | undefined {
  const same = stored.filter((each) => nameKey(each.name) === nameKey(name));
  if (same.length === 0 && stored.every((each) => each.id !== id)) return undefined;
  const [found, another] = id === undefined ? same : same.filter((each) => each.id === id);
  if (found !== undefined && another === undefined) return found.id;
  throw new ServiceError("unavailable", {
    message: "The categories were changed while the file was checked. Nothing was imported; import it again.",
  });
}
