// The search for everything: a button in the header, or `/`, opens a field. What it finds is loaded on demand.

import { signal, useSignal } from "@preact/signals";
import type { ComponentType } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { Dialog } from "../shared/parts/dialog.tsx";
import { isAllowed } from "../shared/state/permissions.ts";
import { t } from "../shared/texts/language.ts";
import type { FindResultsProps } from "./find-results.tsx";

/** Where `/` is a character, or something else is open. */
const FIELDS = "input, select, textarea, [contenteditable]";
const OPEN = "dialog[open], :popover-open";

const isOpen = signal(false);

/** The button in the header. */
export function FindButton() {
  if (!isAllowed("listListings")) return null;
  return (
    <button
      type="button"
      class="find"
      aria-label={t().frame.find}
      aria-keyshortcuts="/"
      aria-haspopup="dialog"
      onClick={() => (isOpen.value = true)}
    >
      <svg viewBox="0 0 20 20" aria-hidden="true">
        <circle cx="8.5" cy="8.5" r="5.5" />
        <path d="M13 13l5 5" />
      </svg>
      <span class="wide">{t().frame.find}</span>
      <kbd class="wide">/</kbd>
    </button>
  );
}

interface FindProps {
  /** Loaded on demand. */
  Results: ComponentType<FindResultsProps>;
}

/** Outside the header: its dialog has a header of its own. */
export function Find({ Results }: FindProps) {
  useEffect(() => {
    function press(event: KeyboardEvent): void {
      const { key, ctrlKey, metaKey, altKey, target } = event;
      if (key !== "/" || ctrlKey || metaKey || altKey) return;
      if (target instanceof Element && target.closest(FIELDS) !== null) return;
      if (!isAllowed("listListings") || document.querySelector(OPEN) !== null) return;
      event.preventDefault();
      isOpen.value = true;
    }
    addEventListener("keydown", press);
    return () => {
      removeEventListener("keydown", press);
      isOpen.value = false;
    };
  }, []);
  return isOpen.value ? <FindDialog Results={Results} onClose={() => (isOpen.value = false)} /> : null;
}

/** The field is here, so that nothing that is typed is lost while the rest is loaded. */
function FindDialog({ Results, onClose }: FindProps & { onClose: () => void }) {
  const text = useSignal("");
  const field = useRef<HTMLInputElement>(null);
  /** The id of the chosen result. */
  const active = useSignal<string | undefined>(undefined);
  return (
    <Dialog title={t().frame.find} className="find-dialog" onClose={onClose}>
      <input
        ref={field}
        type="text"
        role="combobox"
        dir="auto"
        autocomplete="off"
        spellcheck={false}
        enterkeyhint="search"
        aria-label={t().frame.find}
        aria-autocomplete="list"
        aria-expanded={active.value !== undefined}
        aria-controls="found"
        aria-activedescendant={active.value}
        onInput={({ currentTarget }) => (text.value = currentTarget.value)}
      />
      <Results text={text} field={field} active={active} onClose={onClose} />
    </Dialog>
  );
}
