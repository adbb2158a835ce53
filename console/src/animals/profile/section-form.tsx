// The form of a section of an animal's page. Changes of others appear in it; where both have changed the same, it asks.

import { effect, useSignal } from "@preact/signals";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import type { Listing } from "../../../../client/src/client.ts";
import { focusFirst, keepFieldInPlace } from "../../shared/parts/focus.ts";
import { Form } from "../../shared/parts/form.tsx";
import { t } from "../../shared/texts/language.ts";
import type { MemberName } from "./profile-fields.ts";
import { describeMember, labelOf } from "./profile-words.ts";
import { saveDraft } from "./save-draft.ts";
import { SectionInputs } from "./section-inputs.tsx";
import { SECTIONS, type SectionName } from "./sections.ts";
import { type KeptDraft, type SectionDraft, useSectionDraft } from "./use-section-draft.ts";

export interface UnsavedText {
  label: string;
  text: string;
}

interface SectionFormProps {
  section: SectionName;
  listing: Listing;
  kept: KeptDraft | undefined;
  /** Shows the animal as it was stored. */
  onStored: (fresh: Listing) => void;
  /** Called with all of it whenever something was typed or saved. */
  onUnsaved: (texts: UnsavedText[]) => void;
  onClose: (end: { isSaved: boolean; kept?: KeptDraft | undefined }) => void;
}

export function SectionForm({ section, listing, kept, onStored, onUnsaved, onClose }: SectionFormProps) {
  const draft = useSectionDraft(listing, SECTIONS[section], kept);
  const asked = useSignal(0);
  const area = useRef<HTMLDivElement>(null);

  // Not after the next paint: what was typed by then would be lost without a question.
  useLayoutEffect(() => effect(() => onUnsaved(listUnsaved(draft))), []);
  useLayoutEffect(() => {
    if (area.current) focusFirst(area.current);
  }, []);
  useTakeOver(draft, listing);
  useEffect(() => {
    if (asked.value > 0) area.current?.querySelector<HTMLElement>(".open input")?.focus();
  }, [asked.value]);

  /** Throws while a choice is missing. */
  function requireChoices(message: string): void {
    if (draft.conflicts().every(({ choice }) => choice !== undefined)) return;
    asked.value += 1;
    throw new Error(message);
  }

  async function submit(_fields: FormData, signal: AbortSignal): Promise<string | undefined> {
    requireChoices(t().conflict.choose);
    const isSaved = draft.changed().length > 0;
    if (isSaved) onStored(await saveDraft(draft, { signal, requireChoices }));
    // Something was typed while it was saved.
    if (draft.changed().length > 0) return t().form.saved;
    onClose({ isSaved });
    return undefined;
  }

  function cancel(): void {
    const isTyped = draft.changed().length > 0;
    onClose({
      isSaved: false,
      kept: isTyped ? { listing: draft.known(), fields: draft.fields() } : undefined,
    });
  }

  const conflicts = draft.conflicts();
  return (
    <div ref={area} class="section-form">
      <Form action={t().form.save} onSubmit={submit} onCancel={cancel}>
        <SectionInputs section={section} draft={draft.fields()} onInput={draft.input} conflicts={conflicts} />
        <p role="status" class="held">
          {describeOthers(
            conflicts.map(({ member }) => member),
            draft.taken(),
          )}
        </p>
      </Form>
    </div>
  );
}

/** A conflict above the field in which someone types must not move it. */
function useTakeOver(draft: SectionDraft, listing: Listing): void {
  const restore = useRef<(() => void) | undefined>(undefined);
  useEffect(() => {
    if (listing === draft.known()) return;
    restore.current = keepFieldInPlace();
    draft.takeOver(listing);
  }, [listing]);
  useLayoutEffect(() => {
    restore.current?.();
    restore.current = undefined;
  });
}

function listUnsaved(draft: SectionDraft): UnsavedText[] {
  const fields = draft.fields();
  return draft.changed().map((member) => ({ label: labelOf(member), text: describeMember(member, fields) }));
}

function describeOthers(conflicts: MemberName[], taken: MemberName[]): string {
  const name = (members: MemberName[]) => members.map(labelOf).join(", ");
  const sentences = [
    conflicts.length > 0 ? t().conflict.both(name(conflicts)) : "",
    taken.length > 0 ? t().conflict.taken(name(taken)) : "",
  ];
  return sentences.filter((sentence) => sentence !== "").join(" ");
}
