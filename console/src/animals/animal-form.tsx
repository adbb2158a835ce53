// Adds an animal, or changes its name and category.

import { useSignal } from "@preact/signals";
import { useEffect, useRef, useState } from "preact/hooks";
import { type Int64, type Pet, type PetStatus, VALUES } from "../../../client/src/client.ts";
import { PET_NAME_MAX } from "../../../src/domain/basics/text-limits.ts";
import { Conflict } from "../shared/parts/conflict.tsx";
import { Dialog } from "../shared/parts/dialog.tsx";
import { Choice, Field } from "../shared/parts/field.tsx";
import { Form } from "../shared/parts/form.tsx";
import { PetLink } from "../shared/parts/pet-link.tsx";
import { categories } from "../shared/state/category-names.ts";
import { readIdentifier } from "../shared/state/identifier.ts";
import { notify } from "../shared/state/notices.ts";
import { mayMoveAnimals } from "../shared/state/own-shelter.ts";
import { ask } from "../shared/state/session.ts";
import { FIRST_SHELTER, shelterName } from "../shared/state/shelter-list.ts";
import { t } from "../shared/texts/language.ts";
import type { Sentence } from "../shared/texts/say.ts";
import { useAnimalEdit } from "./use-animal-edit.ts";

const OTHER = "other";

interface AnimalFormProps {
  pet: Pet | undefined;
  onClose: () => void;
  onDone: () => Promise<void>;
  /** After each new animal while the form stays open for another. */
  onAdded?: () => Promise<void>;
}

export function AnimalForm({ pet, onClose, onDone, onAdded }: AnimalFormProps) {
  const texts = t().animalForm;
  const added = useSignal(0);
  const fieldset = useRef<HTMLDivElement>(null);
  const edit = useAnimalEdit(pet);

  // The name is empty again; category and status stay.
  useEffect(() => {
    if (added.value > 0) fieldset.current?.querySelector("input")?.focus();
  }, [added.value]);

  async function add(fields: FormData, signal: AbortSignal): Promise<Sentence> {
    const name = edit.name.value;
    const status = String(fields.get("status")) as PetStatus;
    const categoryId = readCategory(fields);
    const { id } = await ask((client) => client.createPet({ name, categoryId, status }, { signal }));
    const said = texts.added(<PetLink pet={{ id, name: name.trim() }} />, String(id));
    if (fields.has("another")) {
      edit.name.value = "";
      added.value += 1;
      void onAdded?.();
      return said;
    }
    notify(said);
    await onDone();
    return undefined;
  }

  async function submit(fields: FormData, signal: AbortSignal): Promise<Sentence> {
    if (pet === undefined) return add(fields, signal);
    const saved = await edit.save(readCategory(fields), signal);
    if (saved === undefined) return t().form.nothingChanged;
    notify(texts.changed(<PetLink pet={saved} />));
    await onDone();
    return undefined;
  }

  return (
    <Dialog title={pet === undefined ? t().animals.add : texts.edit(pet.name)} onClose={onClose}>
      <Form
        action={pet === undefined ? texts.add : t().form.save}
        anotherLabel={pet === undefined && onAdded !== undefined ? texts.addAnother : undefined}
        onSubmit={submit}
        onCancel={onClose}
      >
        <div ref={fieldset}>
          <Field
            key={added.value}
            label={t().common.name}
            name="name"
            required
            maxLength={PET_NAME_MAX}
            pattern=".*\S.*"
            missing={t().common.enterName}
            wrong={t().common.enterName}
            value={edit.name.value}
            onInput={({ currentTarget }) => (edit.name.value = currentTarget.value)}
            autocomplete="off"
            autoFocus
          />
        </div>
        <CategoryFields key={edit.category.value.key} categoryId={edit.category.value.id} />
        {pet === undefined && (
          <Choice
            label={t().animals.status}
            name="status"
            choices={VALUES.PetStatus.map((status) => [status, t().petStatus[status]])}
          />
        )}
        {pet === undefined && mayMoveAnimals() && (
          <p class="quiet">{t().shelters.startsIn(shelterName(FIRST_SHELTER.id))}</p>
        )}
        {edit.conflicts().map((conflict) => (
          <Conflict key={conflict.label} {...conflict} />
        ))}
      </Form>
    </Dialog>
  );
}

/** A named category, or the number of one without a name. */
export function CategoryFields({ categoryId }: { categoryId: Int64 | undefined }) {
  const known = categories.value?.items ?? [];
  const named = known.map(({ id, name }) => [String(id), name] as [string, string]);
  const current = categoryId === undefined ? named[0]?.[0] : String(categoryId);
  const isNamed = named.some(([id]) => id === current);
  const chosen = useSignal(isNamed && current !== undefined ? current : OTHER);
  // Fixed at the first render: categories that load later must not empty the field.
  const [firstNumber] = useState(isNamed ? "" : (current ?? "1"));
  return (
    <>
      {named.length > 0 && (
        <Choice
          label={t().common.category}
          name="category"
          choices={[...named, [OTHER, t().animalForm.otherCategory]]}
          value={chosen.value}
          onChange={(event) => (chosen.value = event.currentTarget.value)}
        />
      )}
      {chosen.value === OTHER && (
        <Field
          label={t().animalForm.categoryNumber}
          name="categoryId"
          required
          inputMode="numeric"
          pattern="-?[0-9]+"
          defaultValue={firstNumber}
          missing={t().common.enterNumber}
          wrong={t().common.enterNumber}
          hint={t().animalForm.categoryHint}
        />
      )}
    </>
  );
}

export function readCategory(fields: FormData): Int64 {
  const chosen = String(fields.get("category") ?? OTHER);
  return readIdentifier(chosen === OTHER ? String(fields.get("categoryId")) : chosen);
}
