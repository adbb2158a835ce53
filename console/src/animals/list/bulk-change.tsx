// Dialogs that change the status, the category or the shelter of all selected animals, with one undo for all.

import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import {
  type Listing,
  type Pet,
  type PetStatus,
  TRANSITIONS,
  VALUES,
} from "../../../../client/src/client.ts";
import { BulkProgress, FailureList } from "../../shared/parts/bulk-progress.tsx";
import { CloseFooter, Dialog } from "../../shared/parts/dialog.tsx";
import { Choice } from "../../shared/parts/field.tsx";
import { Form } from "../../shared/parts/form.tsx";
import { type Outcome, runAll } from "../../shared/state/bulk.ts";
import { formatAnimals } from "../../shared/state/format.ts";
import { readIdentifier } from "../../shared/state/identifier.ts";
import { notify } from "../../shared/state/notices.ts";
import { moveStatus, moveToShelter, saveAnimal } from "../../shared/state/save-animal.ts";
import { shelterChoices, shelterName } from "../../shared/state/shelter-list.ts";
import { t } from "../../shared/texts/language.ts";
import type { Sentence } from "../../shared/texts/say.ts";
import { CategoryFields } from "../category-fields.tsx";
import type { ShownPets } from "../use-status-moves.tsx";

interface BulkProps {
  pets: Listing[];
  list: ShownPets;
  onClose: () => void;
}

export function BulkStatus(props: BulkProps) {
  const choices = VALUES.PetStatus.map((status): [string, string] => [status, t().petStatus[status]]);
  return (
    <BulkChange
      {...props}
      title={t().bulk.changeStatus}
      plan={(fields) => {
        const to = String(fields.get("status")) as PetStatus;
        return {
          isChanged: ({ status }) => status !== to,
          apply: async (pet, signal) => {
            requireAllowed(pet.status, to);
            return saveAnimal(pet, { status: to }, signal);
          },
          takeBack: (pet, signal) => moveStatus({ ...pet, status: to }, pet.status, signal),
          done: (animals) => t().bulk.moved(animals, t().petStatus[to].toLowerCase()),
        };
      }}
    >
      <Choice label={t().animals.status} name="status" choices={choices} />
    </BulkChange>
  );
}

export function BulkCategory(props: BulkProps) {
  const chosen = useSignal(String(props.pets[0]?.categoryId ?? ""));
  return (
    <BulkChange
      {...props}
      title={t().bulk.changeCategory}
      plan={() => {
        const categoryId = readIdentifier(chosen.value);
        return {
          isChanged: (pet) => pet.categoryId !== categoryId,
          apply: (pet, signal) => saveAnimal(pet, { categoryId }, signal),
          takeBack: (pet, signal) =>
            saveAnimal({ ...pet, categoryId }, { categoryId: pet.categoryId }, signal),
          done: (animals) => t().bulk.recategorised(animals),
        };
      }}
    >
      <CategoryFields value={chosen.value} onInput={(value) => (chosen.value = value)} />
    </BulkChange>
  );
}

/** Also for one animal, on its page. */
export function BulkShelter(props: BulkProps) {
  const texts = t().shelters;
  const { pets } = props;
  const isIn = ({ shelter }: Listing, id: unknown) => String(shelter.id) === String(id);
  const choices = shelterChoices().filter(([id]) => !pets.every((pet) => isIn(pet, id)));
  return (
    <BulkChange
      {...props}
      title={texts.move}
      plan={(fields) => {
        const to = readIdentifier(String(fields.get("shelter")));
        const name = shelterName(to);
        return {
          isChanged: (pet) => !isIn(pet, to),
          apply: (pet, signal) => moveToShelter(pet, to, signal),
          takeBack: (pet, signal) =>
            moveToShelter({ ...pet, shelter: { id: to, name } }, pet.shelter.id, signal),
          done: (animals) => texts.moved(pets[1] ? animals : (pets[0]?.name ?? ""), name),
        };
      }}
    >
      <Choice label={texts.one} name="shelter" choices={choices} hint={texts.moveHint} />
    </BulkChange>
  );
}

/** The service would say the same, in English. */
function requireAllowed(from: PetStatus, to: PetStatus): void {
  if (TRANSITIONS.PetStatus[from].includes(to)) return;
  throw new Error(t().bulk.notAllowed(t().petStatus[from].toLowerCase(), t().petStatus[to].toLowerCase()));
}

interface Plan {
  isChanged: (pet: Listing) => boolean;
  apply: (pet: Listing, signal: AbortSignal) => Promise<Pet>;
  takeBack: (pet: Listing, signal: AbortSignal) => Promise<Pet>;
  done: (animals: string) => Sentence;
}

interface BulkChangeProps extends BulkProps {
  title: string;
  plan: (fields: FormData) => Plan;
  children: ComponentChildren;
}

function BulkChange({ pets, list, onClose, title, plan, children }: BulkChangeProps) {
  const failed = useSignal<Outcome<Listing, Pet>["failed"]>([]);

  /** Stays open while something failed. */
  async function submit(fields: FormData, signal: AbortSignal): Promise<void> {
    const { isChanged, apply, takeBack, done } = plan(fields);
    const outcome = await list.hold(() => runAll(pets.filter(isChanged), apply, signal));
    list.replace(outcome.done.map(({ result }) => result));
    const changed = outcome.done.map(({ item }) => item);
    failed.value = outcome.failed;
    if (changed.length > 0)
      notify(done(formatAnimals(changed.length)), { undo: () => void undoAll(changed, takeBack) });
    // Otherwise the dialog lists the failures.
    else if (outcome.failed.length === 0)
      notify(outcome.left.length > 0 ? t().bulk.stopped : t().bulk.unchanged);
    if (outcome.failed.length === 0 && !signal.aborted) onClose();
  }

  async function undoAll(changed: Listing[], takeBack: Plan["takeBack"]): Promise<void> {
    const outcome = await list.hold(() => runAll(changed, takeBack));
    list.replace(outcome.done.map(({ result }) => result));
    if (outcome.done.length > 0) notify(t().bulk.undone(formatAnimals(outcome.done.length)));
    if (outcome.failed.length === 0) return;
    notify(
      <>
        {t().bulk.notUndone} <FailureList failed={outcome.failed} max={5} />
      </>,
      { isFailure: true },
    );
  }

  return (
    <Dialog title={title} onClose={onClose}>
      {failed.value.length > 0 ? (
        <>
          <p role="alert">{t().bulk.failed(formatAnimals(failed.value.length))}</p>
          <FailureList failed={failed.value} />
          <CloseFooter onClose={onClose} />
        </>
      ) : (
        <Form action={t().bulk.apply(formatAnimals(pets.length))} onSubmit={submit} onCancel={onClose}>
          {children}
          <BulkProgress />
        </Form>
      )}
    </Dialog>
  );
}
