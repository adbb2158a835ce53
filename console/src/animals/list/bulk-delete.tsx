// Deletes many animals, with one undo for all: the requests are sent when the time for undo is over.

import { type Listing, NotFoundError } from "../../../../client/src/client.ts";
import { FailureList } from "../../shared/parts/bulk-progress.tsx";
import { runAll } from "../../shared/state/bulk.ts";
import { hideWithUndo, reveal } from "../../shared/state/deletions.ts";
import { formatAnimals } from "../../shared/state/format.ts";
import { notify } from "../../shared/state/notices.ts";
import { ask } from "../../shared/state/session.ts";
import { t } from "../../shared/texts/language.ts";

const keyOf = ({ id }: Listing) => `pet:${id}`;

/** `isByKeyboard` moves the focus to Undo. */
export function deleteAllLater(pets: Listing[], isByKeyboard: boolean): void {
  const text = t().bulk.deleting(formatAnimals(pets.length));
  hideWithUndo(pets.map(keyOf), { text, isByKeyboard, commit: () => commit(pets) });
}

async function commit(pets: Listing[]): Promise<void> {
  const { failed, left } = await runAll(pets, deleteOne);
  if (failed.length > 0) {
    const list = <FailureList failed={failed} max={5} />;
    notify(t().bulk.notDeleted(formatAnimals(failed.length), list), { isFailure: true });
  }
  reveal(...failed.map(({ item }) => keyOf(item)), ...left.map(keyOf));
}

async function deleteOne({ id }: Listing, signal: AbortSignal): Promise<void> {
  try {
    await ask((client) => client.deletePet(id, { signal }));
  } catch (error) {
    // Another client may have deleted it first.
    if (!(error instanceof NotFoundError)) throw error;
  }
}
