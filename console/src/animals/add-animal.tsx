// Adds an animal by its name and category. The rest is filled in on its page, which follows.

import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { type PetStatus, VALUES } from "../../../client/src/client.ts";
import { PET_NAME_MAX } from "../../../src/domain/basics/text-limits.ts";
import { Dialog } from "../shared/parts/dialog.tsx";
import { Choice, NameField } from "../shared/parts/field.tsx";
import { Form } from "../shared/parts/form.tsx";
import { PetLink } from "../shared/parts/pet-link.tsx";
import { readIdentifier } from "../shared/state/identifier.ts";
import { notify } from "../shared/state/notices.ts";
import { mayMoveAnimals } from "../shared/state/own-shelter.ts";
import { hrefOf } from "../shared/state/place.ts";
import { ask } from "../shared/state/session.ts";
import { FIRST_SHELTER, shelterName } from "../shared/state/shelter-list.ts";
import { t } from "../shared/texts/language.ts";
import type { Sentence } from "../shared/texts/say.ts";
import { CategoryFields, suggestedCategory } from "./category-fields.tsx";

interface AddAnimalProps {
  onClose: () => void;
  /** After each new animal while the form stays open for another. */
  onAdded: () => Promise<void>;
}

export function AddAnimal({ onClose, onAdded }: AddAnimalProps) {
  const texts = t().animalForm;
  const added = useSignal(0);
  const name = useSignal("");
  /** Until one is chosen, what is suggested: the categories may arrive after the form was opened. */
  const chosen = useSignal<string | undefined>(undefined);
  const category = chosen.value ?? suggestedCategory();
  const field = useRef<HTMLDivElement>(null);

  // The name is empty again; category and status stay.
  useEffect(() => {
    if (added.value > 0) field.current?.querySelector("input")?.focus();
  }, [added.value]);

  async function submit(fields: FormData, signal: AbortSignal): Promise<Sentence> {
    const status = String(fields.get("status")) as PetStatus;
    const pet = { name: name.value, categoryId: readIdentifier(category), status };
    const { id } = await ask((client) => client.createPet(pet, { signal }));
    const said = texts.added(<PetLink pet={{ id, name: pet.name.trim() }} />, String(id));
    if (fields.has("another")) {
      name.value = "";
      added.value += 1;
      void onAdded();
      return said;
    }
    notify(said);
    onClose();
    location.hash = hrefOf("animals", String(id));
    return undefined;
  }

  return (
    <Dialog title={t().animals.add} onClose={onClose}>
      <Form action={texts.add} anotherLabel={texts.addAnother} onSubmit={submit} onCancel={onClose}>
        <div ref={field}>
          <NameField
            key={added.value}
            name="name"
            maxLength={PET_NAME_MAX}
            value={name.value}
            onInput={({ currentTarget }) => (name.value = currentTarget.value)}
            autoFocus
          />
        </div>
        <CategoryFields value={category} onInput={(value) => (chosen.value = value)} />
        <Choice
          label={t().animals.status}
          name="status"
          choices={VALUES.PetStatus.map((status) => [status, t().petStatus[status]])}
        />
        {mayMoveAnimals() && <p class="quiet">{t().shelters.startsIn(shelterName(FIRST_SHELTER.id))}</p>}
      </Form>
    </Dialog>
  );
}
