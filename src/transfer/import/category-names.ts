// Finds the category of each row by its name, and collects the categories that the file needs and the store does not have.

import type { Category } from "../../domain/animals/category.ts";
import { categoryKey } from "../../domain/animals/category-key.ts";
import type { ImportedPet } from "../../domain/animals/imported-pet.ts";
import { findCloseNames } from "../../tools/close-names.ts";
import { OperatorError } from "../../tools/operator-error.ts";
import { showList, showText } from "../../tools/shown-text.ts";
import type { FileRow } from "../formats/file-row.ts";

/** Many more names mean that a wrong column was taken for the category. Also limits memory. */
const NEW_CATEGORIES_MAX = 1_000;
/** Close names are searched for this many unknown names only, because each search reads all categories. */
const SEARCHES_MAX = 100;

/** A category of the store, or one that the import will create. */
export interface NamedCategory {
  name: string;
  /** Undefined until it is assigned. */
  id: bigint | undefined;
}

export interface CategoryNames {
  /** The rows with the ids of their categories. Reads the store when the first row names a category. */
  settle(rows: FileRow[]): Promise<Array<FileRow<ImportedPet>>>;
  /** Categories to create, in the order of the file. */
  missing(): NamedCategory[];
  /** Names of rows with a categoryId that has no name in the store, and gets none; at most 1,000. */
  unused(): string[];
  /** The highest id in the file that a double represents exactly. */
  highestId(): bigint;
  /** Afterwards no further category is planned: the file was read to its end once. */
  close(): void;
}

export interface CategoryOptions {
  /** The categories of the store. */
  load(): Promise<Category[]>;
  /** Whether missing categories are created. */
  create: boolean;
}

export function createCategoryNames({ load, create }: CategoryOptions): CategoryNames {
  let isLoaded = false;
  let isClosed = false;
  let highest = 0n;
  const byId = new Map<bigint, NamedCategory>();
  const byKey = new Map<string, NamedCategory[]>();
  const planned: NamedCategory[] = [];
  const unused = new Set<string>();
  const problems = new Map<string, string>();

  function add(category: NamedCategory): void {
    const key = categoryKey(category.name);
    const same = byKey.get(key);
    if (same === undefined) byKey.set(key, [category]);
    else same.push(category);
    if (category.id !== undefined) byId.set(category.id, category);
  }

  function plan(category: NamedCategory): void {
    if (planned.length === NEW_CATEGORIES_MAX)
      throw new OperatorError(
        `The file has more than ${NEW_CATEGORIES_MAX} new category names, such as ${showText(category.name)}. Check the column with --map categoryName=HEADING.`,
      );
    planned.push(category);
    add(category);
  }

  function settleRow(row: FileRow): FileRow<ImportedPet> {
    if ("problem" in row) return row;
    const { line, pet } = row;
    const { categoryName, categoryId } = pet;
    if (categoryId !== undefined && categoryId > highest && categoryId <= Number.MAX_SAFE_INTEGER)
      highest = categoryId;
    if (categoryName === undefined) return row;
    const found = findId(categoryName.trim(), categoryId);
    if (typeof found === "string") return { line, problem: found };
    const { categoryName: _, ...others } = pet;
    return { ...row, pet: { ...others, categoryId: found } };
  }

  /** The id, or a problem. */
  function findId(name: string, id: bigint | undefined): bigint | string {
    const same = byKey.get(categoryKey(name)) ?? [];
    if (id === undefined) return findByName(name, same);
    const known = byId.get(id);
    if (known !== undefined && categoryKey(known.name) !== categoryKey(name))
      return `categoryId ${id} is the category ${showText(known.name)}, but categoryName is ${showText(name)}`;
    if (known !== undefined) return id;
    if (same.length > 0)
      return `categoryName ${showText(name)} is the category ${idsOf(same)}, but categoryId is ${id}`;
    if (create && !isClosed) plan({ name, id });
    else if (unused.size < NEW_CATEGORIES_MAX) unused.add(name);
    return id;
  }

  function findByName(name: string, same: NamedCategory[]): bigint | string {
    if (same.length > 1)
      return `several categories have the name ${showText(name)}: ${idsOf(same)}. Give the categoryId`;
    const [found] = same;
    // Without an id until the import begins; the check does not use it.
    if (found !== undefined) return found.id ?? 0n;
    if (!create || isClosed) return describeUnknown(name);
    plan({ name, id: undefined });
    return 0n;
  }

  function describeUnknown(name: string): string {
    const key = categoryKey(name);
    const known = problems.get(key);
    if (known !== undefined) return known;
    const isSearched = problems.size < SEARCHES_MAX;
    const close = isSearched
      ? findCloseNames(
          name,
          [...byId.values()].map((each) => each.name),
        )
      : [];
    const hint = close.length === 0 ? "" : `, but there is ${showList(close)}`;
    const problem = `there is no category ${showText(name)}${hint}. Correct the name, or create missing categories with --create-categories`;
    if (isSearched) problems.set(key, problem);
    return problem;
  }

  return {
    async settle(rows) {
      if (!isLoaded && rows.some((row) => "pet" in row && row.pet.categoryName !== undefined)) {
        for (const { id, name } of await load()) add({ id, name });
        isLoaded = true;
      }
      return rows.map(settleRow);
    },
    missing: () => planned,
    unused: () => [...unused],
    highestId: () => highest,
    close() {
      isClosed = true;
    },
  };
}

function idsOf(categories: NamedCategory[]): string {
  return showList(
    categories.map(({ id }) => String(id ?? "new")),
    (id) => id,
  );
}
