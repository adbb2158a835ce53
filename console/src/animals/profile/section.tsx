// A section of an animal's page: shows its part of the animal, and is edited in place with its own Save.

import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import type { Listing } from "../../../../client/src/client.ts";
import { Button } from "../../shared/parts/button.tsx";
import { notify } from "../../shared/state/notices.ts";
import { mayChange } from "../../shared/state/own-shelter.ts";
import { t } from "../../shared/texts/language.ts";
import { later } from "../../shared/texts/pages.ts";
import { SectionForm, type UnsavedText } from "./section-form.tsx";
import type { SectionName } from "./sections.ts";
import type { KeptDraft } from "./use-section-draft.ts";

export interface SectionProps {
  listing: Listing;
  /** Shows the animal as it was stored. */
  onStored: (fresh: Listing) => void;
  /** Called with all of it whenever something was typed into a section or saved. */
  onUnsaved: (section: SectionName, texts: UnsavedText[]) => void;
}

interface OwnProps extends SectionProps {
  name: SectionName;
  heading: ComponentChildren;
  /** What the section shows while it is not edited. */
  children: ComponentChildren;
}

export function Section({ name, heading, children, listing, onStored, onUnsaved }: OwnProps) {
  const isOpen = useSignal(false);
  const isSaved = useSignal(false);
  const kept = useRef<KeptDraft | undefined>(undefined);
  const element = useRef<HTMLElement>(null);
  const wasOpen = useRef(false);
  const texts = later().sections;

  // The field or button that had the focus is gone, and with it perhaps more than the height of the window.
  useLayoutEffect(() => {
    if (wasOpen.current && !isOpen.value) {
      if (document.activeElement === document.body)
        element.current?.querySelector<HTMLElement>("button.edit")?.focus({ preventScroll: true });
      element.current?.querySelector("header")?.scrollIntoView({ block: "nearest" });
    }
    wasOpen.current = isOpen.value;
  }, [isOpen.value]);

  function open(draft?: KeptDraft): void {
    kept.current = draft;
    isSaved.value = false;
    isOpen.value = true;
  }

  function close(end: { isSaved: boolean; kept?: KeptDraft | undefined }): void {
    onUnsaved(name, []);
    isSaved.value = end.isSaved;
    isOpen.value = false;
    const draft = end.kept;
    if (draft !== undefined) notify(texts.discarded, { undo: () => open(draft) });
  }

  return (
    <section class={`part ${name}`} aria-labelledby={name} ref={element}>
      <header>
        <div id={name}>{heading}</div>
        {mayChange("updateProfile", listing) && !isOpen.value && (
          <Button kind="edit" label={texts.edit} name={texts.editOne[name]} onClick={() => open()} />
        )}
      </header>
      <p role="status" class="success">
        {isSaved.value && t().form.saved}
      </p>
      {isOpen.value ? (
        <SectionForm
          section={name}
          listing={listing}
          kept={kept.current}
          onStored={onStored}
          onUnsaved={(unsaved) => onUnsaved(name, unsaved)}
          onClose={close}
        />
      ) : (
        children
      )}
    </section>
  );
}
