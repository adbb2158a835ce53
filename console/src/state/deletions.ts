// Deletions that can be taken back: identifiers are never reused, so nothing is sent until the time for undo is over.

import { signal } from "@preact/signals";
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
  /** Called after it, successful or not, to show things as they are. */
  settled: () => Promise<void>;
}

export function isHidden(name: string): boolean {
  return hidden.value.has(name);
}

export function deleteLater(deletion: Deletion): void {
  const { name, label } = deletion;
  hidden.value = new Set([...hidden.value, name]);
  notifyUndoable(`${label} is being deleted.`, {
    undo: () => reveal(name),
    commit: () => void commit(deletion),
  });
}

async function commit({ name, label, run, settled }: Deletion): Promise<void> {
  try {
    await run();
  } catch (error) {
    notify(`${label} was not deleted. ${explain(error)}`, { isFailure: true });
  }
  await settled();
  reveal(name);
}

function reveal(name: string): void {
  hidden.value = new Set([...hidden.value].filter((each) => each !== name));
}
