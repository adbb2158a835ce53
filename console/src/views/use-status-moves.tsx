// Changes the status of one animal, in the list or on its page, with undo.

import type { Pet, PetStatus } from "../../../client/src/client.ts";
import { PetLink } from "../parts/pet-link.tsx";
import { explain } from "../state/failures.ts";
import { notify } from "../state/notices.ts";
import { moveStatus } from "../state/status-moves.ts";
import { t } from "../texts/language.ts";
import type { AnimalList } from "./use-animals.ts";

/** Optimistic: shows the new status at once, and the old one again when the service refuses. */
export function useStatusMoves({ replace, hold }: Pick<AnimalList, "replace" | "hold">) {
  const wordOf = (status: PetStatus) => t().petStatus[status].toLowerCase();

  async function change(pet: Pet, to: PetStatus): Promise<boolean> {
    replace([{ ...pet, status: to }]);
    try {
      replace([await hold(() => moveStatus(pet.id, { from: pet.status, to }))]);
      return true;
    } catch (error) {
      replace([pet]);
      notify(t().animals.stays(<PetLink pet={pet} />, wordOf(pet.status), explain(error)), {
        isFailure: true,
      });
      return false;
    }
  }

  async function move(pet: Pet, to: PetStatus): Promise<void> {
    if (!(await change(pet, to))) return;
    notify(t().animals.moved(<PetLink pet={pet} />, wordOf(to)), {
      undo: () => void takeBack({ ...pet, status: to }, pet.status),
    });
  }

  async function takeBack(pet: Pet, to: PetStatus): Promise<void> {
    if (await change(pet, to)) notify(t().animals.movedBack(<PetLink pet={pet} />, wordOf(to)));
  }

  return move;
}
