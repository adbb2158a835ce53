// Finds the category of each row by its name, and collects the categories that the file needs and the store does not have.

import type { Category } from "../../domain/animals/category.ts";
import { SPECIES_GROUPS_EN } from "../../domain/animals/words-en.ts";
import { nameKey } from "../../domain/basics/name-key.ts";
import { findCloseNames } from "../../tools/close-names.ts";
import { showList, showText } from "../../tools/shown-text.ts";
import { invalidSetting } from "../formats/find-columns.ts";
import type { NamedCategory, Row } from "./read-row.ts";

/** Many more names mean that a wrong column was taken for the category. Also limits memory. */
const NEW_CATEGORIES_MAX = 1_000;
/** Close names are searched for this many unknown names only, because each search reads all categories. */
const SEARCHES_MAX = 100;

/** The check does not use the id of a category that is not yet created. */
const NO_ID = 0n;

export interface CategoryNames {
  /** Sets the category of the row's animal, or adds a problem. `mayPlan`: a missing category may be created. */
  resolve(row: Row, mayPlan: boolean): void;
  /** The name of the row's category, if the store has or gets it. */
  nameOf(row: Row): string | undefined;
  /** Creates the category of a row that is imported. Rows are counted from 1. */
  keep(number: number, row: Row): void;
  /** Takes `keep` back for a row with photos. */
  release(number: number): void;
  /** Categories to create, in the order of the file. */
  missing(): NamedCategory[];
  /** Names of rows with a categoryId that has no name in the store, and gets none; at most 1,000. */
  unused(): string[];
  /** The highest id in the file that a double represents exactly. */
  highestId(): bigint;
}

export interface CategoryOptions {
  /** Whether missing categories are created. */
  create: boolean;
  /** The category of rows without one. */
  fallbackId: bigint | undefined;
  /** The heading of the column with names. */
  heading: string | undefined;
}

export function createCategoryNames(
  stored: readonly Category[],
  { create, fallbackId, heading }: CategoryOptions,
): CategoryNames {
  const finder = createCategoryFinder(stored, create);
  /** By the number of a row with photos: they are read after the check, and may make the row bad. */
  const releasable = new Map<number, NamedCategory>();
  let highest = 0n;

  function findBySpecies(row: Row, mayPlan: boolean): NamedCategory | undefined {
    const name = create && fallbackId === undefined ? nameBySpecies(row) : undefined;
    const found = name && finder.find(name, undefined, mayPlan);
    return typeof found === "object" ? found : undefined;
  }

  return {
    ...finder,
    resolve(row, mayPlan) {
      const { pet, categoryName } = row;
      const { categoryId = 0n } = pet;
      if (categoryId > highest && categoryId <= Number.MAX_SAFE_INTEGER) highest = categoryId;
      if (categoryName !== undefined) {
        const found = finder.find(categoryName, pet.categoryId, mayPlan);
        if (typeof found === "string") row.problems.push({ heading, value: categoryName, message: found });
        else {
          row.category = found;
          pet.categoryId = found.id ?? NO_ID;
        }
      } else if (pet.categoryId === undefined) {
        row.category = findBySpecies(row, mayPlan);
        pet.newCategoryId = fallbackId ?? (row.category && (row.category.id ?? NO_ID));
      }
    },
    nameOf({ pet, known, category }) {
      if (category !== undefined && category.id === undefined) return category.name;
      const id = pet.categoryId ?? known?.categoryId ?? pet.newCategoryId;
      return id === undefined ? undefined : finder.nameOfId(id);
    },
    keep(number, { category, photos }) {
      if (category === undefined) return;
      category.rows += 1;
      if (photos.length > 0) releasable.set(number, category);
    },
    release(number) {
      const category = releasable.get(number);
      if (category !== undefined) category.rows -= 1;
    },
    highestId: () => highest,
  };
}

/** The name of the category of a row without one, by its species: only an animal that is added needs it. */
function nameBySpecies({ pet, known }: Row): string | undefined {
  const species = pet.profile?.species;
  return species && known === undefined ? SPECIES_GROUPS_EN[species] : undefined;
}

/** Finds categories, and plans those that do not exist yet. */
function createCategoryFinder(stored: readonly Category[], create: boolean) {
  const index = createCategoryIndex();
  for (const { id, name } of stored) index.add({ id, name, rows: 0 });
  const planned: NamedCategory[] = [];
  const unused = new Set<string>();

  function plan(category: NamedCategory): void {
    if (planned.length === NEW_CATEGORIES_MAX)
      throw invalidSetting(
        `the file has more than ${NEW_CATEGORIES_MAX} new category names, such as ${showText(category.name)}. Check which column map.categoryName names`,
      );
    planned.push(category);
    index.add(category);
  }

  return {
    /** The category, or a problem. */
    find(name: string, id: bigint | undefined, mayPlan: boolean): NamedCategory | string {
      const found = id === undefined ? index.findByName(name) : index.findById(id, name);
      if (found !== undefined) return found;
      const category = { name, id, rows: 0 };
      if (create && mayPlan) plan(category);
      else if (id === undefined) return index.describeUnknown(name);
      else if (unused.size < NEW_CATEGORIES_MAX) unused.add(name);
      return category;
    },
    nameOfId: index.nameOf,
    missing: () => planned.filter(({ rows }) => rows > 0),
    unused: () => [...unused],
  };
}

/** Categories by id and by name. Its methods return a category, a problem, or undefined for an unknown category. */
function createCategoryIndex() {
  const byId = new Map<bigint, NamedCategory>();
  const byKey = new Map<string, NamedCategory[]>();
  const problems = new Map<string, string>();
  const named = (name: string) => byKey.get(nameKey(name)) ?? [];

  return {
    add(category: NamedCategory): void {
      byKey.set(nameKey(category.name), [...named(category.name), category]);
      if (category.id !== undefined) byId.set(category.id, category);
    },
    nameOf: (id: bigint) => byId.get(id)?.name,
    findByName(name: string): NamedCategory | string | undefined {
      const [found, another] = named(name);
      if (another !== undefined)
        return `several categories have the name ${showText(name)}: ${idsOf(named(name))}. Give the categoryId`;
      return found;
    },
    findById(id: bigint, name: string): NamedCategory | string | undefined {
      const known = byId.get(id);
      if (known !== undefined && nameKey(known.name) !== nameKey(name))
        return `categoryId ${id} is the category ${showText(known.name)}, but categoryName is ${showText(name)}`;
      if (known !== undefined) return known;
      if (named(name).length === 0) return undefined;
      return `categoryName ${showText(name)} is the category ${idsOf(named(name))}, but categoryId is ${id}`;
    },
    describeUnknown(name: string): string {
      const key = nameKey(name);
      const isSearched = problems.size < SEARCHES_MAX && !problems.has(key);
      const names = isSearched ? Array.from(byId.values(), (each) => each.name) : [];
      const close = findCloseNames(name, names);
      const hint = close.length === 0 ? "" : `, but there is ${showList(close)}`;
      const problem = `there is no category ${showText(name)}${hint}. Correct the name, or set createCategories (--create-categories)`;
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
