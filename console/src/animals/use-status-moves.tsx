// Changes the status of one animal, in the list or on its page, with undo.

import { useSignal } from "@preact/signals";
import type { Pet, PetStatus } from "../../../client/src/client.ts";
import { Confirm } from "../shared/parts/confirm.tsx";
import type { LiveList } from "../shared/parts/live-list.ts";
import { PetLink } from "../shared/parts/pet-link.tsx";
import { ChangedByOthersError } from "../shared/state/changed-by-others.ts";
import { explain } from "../shared/state/failures.ts";
import { notify } from "../shared/state/notices.ts";
import { moveStatus } from "../shared/state/save-animal.ts";
import { t } from "../shared/texts/language.ts";

interface StatusMoves {
  move: (pet: Pet, to: PetStatus) => Promise<void>;
  /** The question after someone else has changed the status too. */
  question: preact.ComponentChildren;
}

/** Animals on the page, in the list or one alone. */
export interface ShownPets {
  /** Shows animals as they are after a change of this page, also where they no longer fit the filter. */
  replace: (pets: Pet[]) => void;
  hold: LiveList<unknown>["hold"];
}

/** Optimistic: shows the new status at once, and the old one again when the service refuses. */
export function useStatusMoves({ replace, hold }: ShownPets): StatusMoves {
  const asked = useSignal<{ pet: Pet; to: PetStatus } | undefined>(undefined);
  const wordOf = (status: PetStatus) => t().petStatus[status].toLowerCase();

  async function change(pet: Pet, to: PetStatus): Promise<boolean> {
    replace([{ ...pet, status: to }]);
    try {
      replace([await hold(() => moveStatus(pet, to))]);
      return true;
    } catch (error) {
      if (error instanceof ChangedByOthersError) {
        replace([error.current]);
        asked.value = { pet: error.current, to };
        return false;
      }
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

  const close = () => (asked.value = undefined);
  const question = asked.value && <StatusQuestion {...asked.value} onMove={move} onClose={close} />;
  return { move, question };
}

interface StatusQuestionProps {
  pet: Pet;
  to: PetStatus;
  onMove: (pet: Pet, to: PetStatus) => Promise<void>;
  onClose: () => void;
}

function StatusQuestion({ pet, to, onMove, onClose }: StatusQuestionProps) {
  const texts = t().conflict;
  const [mine, theirs] = [t().petStatus[to], t().petStatus[pet.status]];
  return (
    <Confirm
      title={texts.statusTitle(pet.name)}
      action={`${texts.keep.mine}: ${mine}`}
      keepLabel={`${texts.keep.theirs}: ${theirs}`}
      isDangerous={false}
      onConfirm={async () => void onMove(pet, to)}
      onClose={onClose}
    >
      {texts.status(theirs, mine)}
    </Confirm>
  );
}
