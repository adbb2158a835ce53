// Deletions with undo: the request is sent when the time for undo is over.

import { signal } from "@preact/signals";
import { NotFoundError } from "../../../../client/src/client.ts";
import { t } from "../texts/language.ts";
import type { Sentence } from "../texts/say.ts";
import { markChanged } from "./changes.ts";
import { explain } from "./failures.ts";
import { notify, notifyUndoable } from "./notices.ts";

/** Keys of deleted things, which lists do not show. */
const hidden = signal<ReadonlySet<string>>(new Set());

export interface Deletion {
  key: string;
  label: string;
  run: () => Promise<void>;
  isByKeyboard: boolean;
}

export function isHidden(key: string): boolean {
  return hidden.value.has(key);
}

export function deleteLater(deletion: Deletion): void {
  const { key, label, isByKeyboard } = deletion;
  hideWithUndo([key], { text: t().deletions.pending(label), isByKeyboard, commit: () => commit(deletion) });
}

interface Hiding {
  text: Sentence;
  isByKeyboard: boolean;
  /** Never rejects. */
  commit: () => Promise<void>;
}

/** Stays hidden after the deletion, so that a list that was requested earlier does not show it again. */
export function hideWithUndo(keys: string[], { text, isByKeyboard, commit }: Hiding): void {
  hidden.value = new Set([...hidden.value, ...keys]);
  notifyUndoable(text, {
    undo: () => reveal(...keys),
    commit: () => void commit().then(markChanged),
    commitLabel: t().deletions.now,
    takesFocus: isByKeyboard,
  });
}

async function commit({ key, label, run }: Deletion): Promise<void> {
  try {
    await run();
  } catch (error) {
    // Another client may have deleted it first.
    if (!(error instanceof NotFoundError)) {
      notify(t().deletions.failed(label, explain(error)), { isFailure: true });
      reveal(key);
    }
  }
}

export function reveal(...keys: string[]): void {
  hidden.value = new Set([...hidden.value].filter((each) => !keys.includes(each)));
}
