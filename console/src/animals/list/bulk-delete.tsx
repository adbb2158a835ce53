// Deletes many animals, with one undo for all: the requests are sent when the time for undo is over.

import { type Listing, NotFoundError } from "../../../../client/src/client.ts";
import { FailureList } from "../../shared/parts/bulk-progress.tsx";
import { runAll } from "../../shared/state/bulk.ts";
import { markChanged } from "../../shared/state/changes.ts";
import { hide, reveal } from "../../shared/state/deletions.ts";
import { formatCount } from "../../shared/state/format.ts";
import { notify, notifyUndoable } from "../../shared/state/notices.ts";
import { ask } from "../../shared/state/session.ts";
import { t } from "../../shared/texts/language.ts";

const keyOf = ({ id }: Listing) => `pet:${id}`;

/** `isByKeyboard` moves the focus to Undo. */
export function deleteAllLater(pets: Listing[], isByKeyboard: boolean): void {
  const keys = pets.map(keyOf);
  hide(keys);
  notifyUndoable(t().bulk.deleting(formatCount(pets.length)), {
    undo: () => reveal(...keys),
    commit: () => void commit(pets),
    commitLabel: t().deletions.now,
    takesFocus: isByKeyboard,
  });
}

async function commit(pets: Listing[]): Promise<void> {
  const { failed, left } = await runAll(pets, deleteOne);
  if (failed.length > 0) {
    const list = <FailureList failed={failed} max={5} />;
    notify(t().bulk.notDeleted(formatCount(failed.length), list), { isFailure: true });
  }
  reveal(...failed.map(({ item }) => keyOf(item)), ...left.map(keyOf));
  markChanged();
}

async function deleteOne({ id }: Listing, signal: AbortSignal): Promise<void> {
  try {
    await ask((client) => client.deletePet(id, { signal }));
  } catch (error) {
    // Another client may have deleted it first.
    if (!(error instanceof NotFoundError)) throw error;
  }
}
