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
  resolveRows(rows: FileRow[]): Promise<Array<FileRow<ImportedPet>>>;
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
  const index = createCategoryIndex();
  const planned: NamedCategory[] = [];
  const unused = new Set<string>();
  let isLoaded = false;
  let mayPlan = create;
  let highest = 0n;

  function plan(category: NamedCategory): void {
    if (planned.length === NEW_CATEGORIES_MAX)
      throw new OperatorError(
        `The file has more than ${NEW_CATEGORIES_MAX} new category names, such as ${showText(category.name)}. Check the column with --map categoryName=HEADING.`,
      );
    planned.push(category);
    index.add(category);
  }

  function resolveRow(row: FileRow): FileRow<ImportedPet> {
    if ("problem" in row) return row;
    const { categoryName, ...pet } = row.pet;
    const { categoryId = 0n } = pet;
    if (categoryId > highest && categoryId <= Number.MAX_SAFE_INTEGER) highest = categoryId;
    if (categoryName === undefined) return row;
    const found = resolve(categoryName.trim(), pet.categoryId);
    if (typeof found === "string") return { line: row.line, problem: found };
    return { ...row, pet: { ...pet, categoryId: found } };
  }

  /** The id, or a problem. */
  function resolve(name: string, id: bigint | undefined): bigint | string {
    const found = id === undefined ? index.findByName(name) : index.findById(id, name);
    if (found !== undefined) return found;
    if (mayPlan) plan({ name, id });
    else if (id === undefined) return index.describeUnknown(name);
    else if (unused.size < NEW_CATEGORIES_MAX) unused.add(name);
    return id ?? 0n;
  }

  return {
    async resolveRows(rows) {
      if (!isLoaded && rows.some((row) => "pet" in row && row.pet.categoryName !== undefined)) {
        for (const { id, name } of await load()) index.add({ id, name });
        isLoaded = true;
      }
      return rows.map(resolveRow);
    },
    missing: () => planned,
    unused: () => [...unused],
    highestId: () => highest,
    close() {
      mayPlan = false;
    },
  };
}

/** Categories by id and by name. Its methods return an id, a problem, or undefined for an unknown category. */
function createCategoryIndex() {
  const byId = new Map<bigint, NamedCategory>();
  const byKey = new Map<string, NamedCategory[]>();
  const problems = new Map<string, string>();
  const named = (name: string) => byKey.get(categoryKey(name)) ?? [];

  return {
    add(category: NamedCategory): void {
      byKey.set(categoryKey(category.name), [...named(category.name), category]);
      if (category.id !== undefined) byId.set(category.id, category);
    },
    findByName(name: string): bigint | string | undefined {
      const [found, another] = named(name);
      if (another !== undefined)
        return `several categories have the name ${showText(name)}: ${idsOf(named(name))}. Give the categoryId`;
      // Without an id until the import begins; the check does not use it.
      return found && (found.id ?? 0n);
    },
    findById(id: bigint, name: string): bigint | string | undefined {
      const known = byId.get(id);
      if (known !== undefined && categoryKey(known.name) !== categoryKey(name))
        return `categoryId ${id} is the category ${showText(known.name)}, but categoryName is ${showText(name)}`;
      if (known !== undefined) return id;
      if (named(name).length === 0) return undefined;
      return `categoryName ${showText(name)} is the category ${idsOf(named(name))}, but categoryId is ${id}`;
    },
    describeUnknown(name: string): string {
      const key = categoryKey(name);
      const isSearched = problems.size < SEARCHES_MAX && !problems.has(key);
      const names = isSearched ? Array.from(byId.values(), (each) => each.name) : [];
      const close = findCloseNames(name, names);
      const hint = close.length === 0 ? "" : `, but there is ${showList(close)}`;
      const problem = `there is no category ${showText(name)}${hint}. Correct the name, or create missing categories with --create-categories`;
      if (isSearched) problems.set(key, problem);
      return problems.get(key) ?? problem;
    },
  };
}

function idsOf(categories: NamedCategory[]): string {
  return showList(
    categories.map(({ id }) => String(id ?? "new")),
    (id) => id,
  );
}
