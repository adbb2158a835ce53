// Deletions that can be taken back: identifiers are never reused, so nothing is sent until the time for undo is over.

import { signal } from "@preact/signals";
import { NotFoundError } from "../../../client/src/client.ts";
import { markChanged } from "./changes.ts";
import { explain } from "./failures.ts";
import { notify, notifyUndoable } from "./notices.ts";

/** Names of what is shown as gone already. */
const hidden = signal<ReadonlySet<string>>(new Set());

export interface Deletion {
  /** Unique among all things of the console, such as `pet:3`. */
  name: string;
  /** For people. */
  label: string;
  run: () => Promise<void>;
  /** Then Undo gets the focus, which would otherwise be far away. */
  isByKeyboard: boolean;
}

export function isHidden(name: string): boolean {
  return hidden.value.has(name);
}

/** What was deleted stays hidden, so that no list from before brings it back. */
export function deleteLater(deletion: Deletion): void {
  const { name, label, isByKeyboard } = deletion;
  hidden.value = new Set([...hidden.value, name]);
  notifyUndoable(`${label} is being deleted.`, {
    undo: () => reveal(name),
    commit: () => void commit(deletion),
    commitLabel: "Delete now",
    takesFocus: isByKeyboard,
  });
}

async function commit({ name, label, run }: Deletion): Promise<void> {
  try {
    await run();
  } catch (error) {
    // Somebody else may have been first.
    if (!(error instanceof NotFoundError)) {
      notify(`${label} was not deleted. ${explain(error)}`, { isFailure: true });
      reveal(name);
    }
  }
  markChanged();
}

/** For a name that can be used again, once no list has the old one. */
export function reveal(name: string): void {
  hidden.value = new Set([...hidden.value].filter((each) => each !== name));
}
