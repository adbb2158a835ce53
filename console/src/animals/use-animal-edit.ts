// The name and category of an animal in a form, and what happens when someone else changes them at the same time.

import { type Signal, useSignal } from "@preact/signals";
import type { Int64, Pet, PetPatch } from "../../../client/src/client.ts";
import type { ConflictProps, Keep } from "../shared/parts/conflict.tsx";
import { categoryName } from "../shared/state/category-names.ts";
import { ChangedByOthersError } from "../shared/state/changed-by-others.ts";
import { saveAnimal } from "../shared/state/save-animal.ts";
import { t } from "../shared/texts/language.ts";

type Member = "name" | "categoryId";
type Entry = Pick<Pet, Member>;

interface AnimalEdit {
  name: Signal<string>;
  /** The first choice of the category fields; another `key` chooses again. */
  category: Signal<{ id: Int64 | undefined; key: number }>;
  /** Undefined if nothing was changed. Throws while a choice is missing. */
  save: (categoryId: Int64, signal: AbortSignal) => Promise<Pet | undefined>;
  conflicts: () => ConflictProps[];
}

export function useAnimalEdit(pet: Pet | undefined): AnimalEdit {
  const seen = useSignal(pet);
  const name = useSignal(pet?.name ?? "");
  const category = useSignal({ id: pet?.categoryId, key: 0 });
  const open = useSignal<Array<{ member: Member; mine: Entry; choice: Keep | undefined }>>([]);

  async function save(categoryId: Int64, signal: AbortSignal): Promise<Pet | undefined> {
    const base = seen.value;
    if (base === undefined) return undefined;
    if (open.value.some(({ choice }) => choice === undefined)) throw new Error(t().conflict.choose);
    const mine = { name: name.value.trim(), categoryId };
    const patch: PetPatch = {
      ...(!isSame("name", mine, base) && { name: mine.name }),
      ...(!isSame("categoryId", mine, base) && { categoryId }),
    };
    open.value = [];
    if (Object.keys(patch).length === 0) return undefined;
    try {
      return await saveAnimal(base, patch, signal);
    } catch (error) {
      if (!(error instanceof ChangedByOthersError)) throw error;
      takeOver(base, mine, error.current);
      throw new Error(t().animal.changedMeanwhile);
    }
  }

  /** Shows what only the others have changed, and asks about the rest. */
  function takeOver(base: Pet, mine: Entry, current: Pet): void {
    for (const member of ["name", "categoryId"] as const) {
      if (isSame(member, mine, base)) show(member, current);
      else if (!isSame(member, current, base) && !isSame(member, current, mine))
        open.value = [...open.value, { member, mine, choice: undefined }];
    }
    seen.value = current;
  }

  function show(member: Member, entry: Entry): void {
    if (member === "name") name.value = entry.name;
    else category.value = { id: entry.categoryId, key: category.value.key + 1 };
  }

  return {
    name,
    category,
    save,
    conflicts: () =>
      open.value.map((conflict) => ({
        label: { name: t().common.name, categoryId: t().common.category }[conflict.member],
        mine: describe(conflict.member, conflict.mine),
        theirs: describe(conflict.member, seen.value as Pet),
        choice: conflict.choice,
        canKeepBoth: false,
        onChoose: (choice) => {
          show(conflict.member, choice === "mine" ? conflict.mine : (seen.value as Pet));
          open.value = open.value.map((each) => (each === conflict ? { ...each, choice } : each));
        },
      })),
  };
}

function isSame(member: Member, one: Entry, other: Entry): boolean {
  return String(one[member]) === String(other[member]);
}

function describe(member: Member, { name, categoryId }: Entry): string {
  return member === "name" ? name : (categoryName(categoryId) ?? String(categoryId));
}
