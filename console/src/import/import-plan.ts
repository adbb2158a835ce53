// What an import would do: compares the rows of a file with the store, before anything is changed.

import {
  type Category,
  type Int64,
  type Listing,
  type NewPet,
  type PetPatch,
  type PetStatus,
  type ProfilePatch,
  TRANSITIONS,
} from "../../../client/src/client.ts";
import { categoryKey } from "../../../src/domain/animals/category-key.ts";
import {
  externalIdOf,
  type Profile,
  type ProfileChanges,
  reviseProfile,
} from "../../../src/domain/animals/profile.ts";
import { t } from "../shared/texts/language.ts";
import type { FileRow, RowPet } from "./import-rows.ts";

/** `categoryId` is undefined for a category that must be created first: `categoryName`. */
export interface Addition {
  kind: "add";
  line: number;
  pet: Omit<NewPet, "categoryId"> & { categoryId: Int64 | undefined };
  categoryName: string | undefined;
  profile: ProfilePatch | undefined;
}

export interface Update {
  kind: "update";
  line: number;
  known: Listing;
  patch: PetPatch | undefined;
  categoryName: string | undefined;
  profile: ProfilePatch | undefined;
}

export interface Plan {
  steps: Array<Addition | Update>;
  unchanged: number;
  problems: Array<{ line: number; problem: string }>;
  /** Names of categories that the store does not have. */
  newCategories: string[];
  /** The highest categoryId of the file, also of rows with errors: they may be imported later. */
  highestCategoryId: number;
  /** Whether rows without an externalId would be added again by a second import. */
  hasNameless: boolean;
}

interface Store {
  categories: Category[];
  /** By externalId. */
  known: Map<string, Listing>;
}

/** Ignores ids that have no exact successor as a number. 0 if there is no other. */
export function findHighestId(ids: Array<Int64 | undefined>): number {
  const usable = ids.filter((id) => typeof id === "number" && id < Number.MAX_SAFE_INTEGER);
  return usable.reduce<number>((one, other) => Math.max(one, Number(other)), 0);
}

export function planImport(rows: FileRow[], { categories, known }: Store): Plan {
  const { faults } = t().import;
  const highestCategoryId = findHighestId(
    rows.map((row) => ("pet" in row ? row.pet.categoryId : row.categoryId)),
  );
  const plan: Plan = {
    steps: [],
    unchanged: 0,
    problems: [],
    newCategories: [],
    hasNameless: false,
    highestCategoryId,
  };
  const byName = Map.groupBy(categories, ({ name }) => categoryKey(name));
  const byId = new Map(categories.map((category) => [String(category.id), category.name]));
  const lines = new Map<string, number>();
  const fresh = new Map<string, string>();

  /** The id, undefined for a new category; throws an Error for people. */
  function findCategory({ categoryId, categoryName }: RowPet): Int64 | undefined {
    if (categoryName === undefined) return categoryId;
    const same = byName.get(categoryKey(categoryName)) ?? [];
    if (categoryId !== undefined) {
      const name = byId.get(String(categoryId));
      const isOther = name === undefined ? same.length > 0 : categoryKey(name) !== categoryKey(categoryName);
      if (isOther) throw new Error(faults.otherCategory(String(categoryId), categoryName));
      return categoryId;
    }
    if (same.length > 1) throw new Error(faults.severalCategories(categoryName));
    if (same[0] === undefined) fresh.set(categoryKey(categoryName), categoryName.trim());
    return same[0]?.id;
  }

  function planRow(line: number, pet: RowPet): void {
    const externalId = externalIdOf(pet);
    const other = externalId === undefined ? undefined : lines.get(externalId);
    if (other !== undefined) throw new Error(faults.sameId(other));
    if (externalId !== undefined) lines.set(externalId, line);
    const before = externalId === undefined ? undefined : known.get(externalId);
    const categoryId = findCategory(pet);
    const categoryName = categoryId === undefined ? pet.categoryName : undefined;
    if (before !== undefined) {
      planUpdate(line, before, { ...pet, categoryName, categoryId });
      return;
    }
    if (pet.name === undefined) throw new Error(faults.noName);
    if (categoryId === undefined && categoryName === undefined) throw new Error(faults.noCategory);
    const { name, status, profile } = pet;
    if (externalId === undefined) plan.hasNameless = true;
    plan.steps.push({
      kind: "add",
      line,
      categoryName,
      profile: profile && withoutNull(profile),
      pet: { name, categoryId, ...(status && { status }) },
    });
  }

  function planUpdate(line: number, before: Listing, pet: RowPet): void {
    const { name, status, categoryId, categoryName, profile } = pet;
    const patch: PetPatch = {
      ...(name !== undefined && name !== before.name && { name }),
      ...(status !== undefined && status !== before.status && { status }),
      ...(categoryId !== undefined && categoryId !== before.categoryId && { categoryId }),
    };
    if (patch.status !== undefined && !TRANSITIONS.PetStatus[before.status].includes(patch.status))
      throw new Error(refuse(before.status, patch.status));
    const isPetChanged = Object.keys(patch).length > 0 || categoryName !== undefined;
    const isProfileChanged = profile !== undefined && isChanged(before, profile);
    if (!isPetChanged && !isProfileChanged) {
      plan.unchanged += 1;
      return;
    }
    plan.steps.push({
      kind: "update",
      line,
      known: before,
      categoryName,
      patch: isPetChanged ? patch : undefined,
      profile: isProfileChanged ? profile : undefined,
    });
  }

  for (const row of rows) {
    if ("problem" in row) {
      plan.problems.push({ line: row.line, problem: row.problem });
      continue;
    }
    try {
      planRow(row.line, row.pet);
    } catch (error) {
      plan.problems.push({ line: row.line, problem: (error as Error).message });
    }
  }
  plan.newCategories = [...fresh.values()];
  return plan;
}

function refuse(from: PetStatus, to: PetStatus): string {
  return t().bulk.notAllowed(t().petStatus[from].toLowerCase(), t().petStatus[to].toLowerCase());
}

/** By the rule of the service: equal profiles have equal JSON. */
function isChanged({ profile }: Listing, changes: ProfilePatch): boolean {
  const before = profile as Profile;
  const after = reviseProfile(before, changes as ProfileChanges);
  return JSON.stringify(after) !== JSON.stringify(reviseProfile(before, {}));
}

/** A new animal has nothing to remove. Undefined if nothing is left. */
function withoutNull(profile: ProfilePatch): ProfilePatch | undefined {
  const described = reviseProfile({}, profile as ProfileChanges);
  return Object.keys(described).length === 0 ? undefined : (described as ProfilePatch);
}
