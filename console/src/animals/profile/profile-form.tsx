// The form of an animal's profile. Changes of others appear in it; where both have changed the same, it asks.

import { useSignal, useSignalEffect } from "@preact/signals";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { etagOf, type Listing, PreconditionFailedError } from "../../../../client/src/client.ts";
import { Conflict } from "../../shared/parts/conflict.tsx";
import { keepFieldInPlace } from "../../shared/parts/focus.ts";
import { Form } from "../../shared/parts/form.tsx";
import { watchChanges } from "../../shared/state/leaving.ts";
import { ask } from "../../shared/state/session.ts";
import { t } from "../../shared/texts/language.ts";
import { type MemberName, mergeFields, toPatch } from "./profile-fields.ts";
import { ProfileInputs } from "./profile-inputs.tsx";
import { describeMember } from "./profile-words.ts";
import { type ProfileDraft, useProfileDraft } from "./use-profile-draft.ts";

/** Behind a proxy that changes ETags, no attempt succeeds. */
const ATTEMPTS_MAX = 2;

export interface UnsavedText {
  label: string;
  text: string;
}

interface ProfileFormProps {
  listing: Listing;
  onChanged: () => Promise<void>;
  /** Called with all of it whenever something was typed or saved. */
  onUnsaved: (texts: UnsavedText[]) => void;
}

export function ProfileForm({ listing, onChanged, onUnsaved }: ProfileFormProps) {
  const draft = useProfileDraft(listing);
  const asked = useSignal(0);
  const questions = useRef<HTMLDivElement>(null);

  useEffect(() => watchChanges(() => draft.changed().length > 0), []);
  useSignalEffect(() => onUnsaved(listUnsaved(draft)));
  const restore = useRef<(() => void) | undefined>(undefined);
  useEffect(() => {
    if (listing === draft.known()) return;
    restore.current = keepFieldInPlace();
    draft.takeOver(listing);
  }, [listing]);
  // A conflict above the field in which someone types would move it.
  useLayoutEffect(() => {
    restore.current?.();
    restore.current = undefined;
  });
  useEffect(() => {
    if (asked.value > 0) questions.current?.querySelector<HTMLElement>(".open input")?.focus();
  }, [asked.value]);

  /** Throws while a choice is missing. */
  function requireChoices(message: string): void {
    if (draft.conflicts().every(({ choice }) => choice !== undefined)) return;
    asked.value += 1;
    throw new Error(message);
  }

  async function submit(_fields: FormData, signal: AbortSignal): Promise<string> {
    requireChoices(t().conflict.choose);
    if (draft.changed().length === 0) {
      draft.clear();
      return t().form.nothingChanged;
    }
    await save(signal);
    await onChanged();
    return t().animal.profileSaved;
  }

  async function save(signal: AbortSignal): Promise<void> {
    let [before, sent] = [draft.base(), draft.fields()];
    for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt++) {
      const options = { signal, ifMatch: etagOf(draft.known()) };
      try {
        const patch = toPatch(before, sent);
        const fresh = await ask((client) => client.updateProfile(listing.id, patch, options));
        return draft.markSaved({ before, sent, fresh });
      } catch (error) {
        if (!(error instanceof PreconditionFailedError)) throw error;
      }
      draft.takeOver(await ask((client) => client.getListing(listing.id, { signal })));
      requireChoices(t().animal.changedMeanwhile);
      // Others have changed something else, perhaps the name or a photo: no reason to ask.
      sent = mergeFields(before, sent, draft.base()).draft;
      before = draft.base();
    }
    throw new Error(t().animal.changedMeanwhile);
  }

  const conflicts = draft.conflicts();
  return (
    <section aria-labelledby="profile" class="profile">
      <h2 id="profile">{t().animal.profile}</h2>
      <Form action={t().form.save} onSubmit={submit}>
        <ProfileInputs draft={draft.fields()} onInput={draft.input} conflicts={conflicts} />
        <div ref={questions} class="questions">
          <p role="status" class="held">
            {describeOthers(
              conflicts.map(({ member }) => member),
              draft.taken(),
            )}
          </p>
          {conflicts.map(({ member, ...conflict }) => (
            <Conflict key={member} {...conflict} />
          ))}
        </div>
      </Form>
    </section>
  );
}

function listUnsaved(draft: ProfileDraft): UnsavedText[] {
  const fields = draft.fields();
  return draft
    .changed()
    .map((member) => ({ label: t().profile[member], text: describeMember(member, fields) }));
}

function describeOthers(conflicts: MemberName[], taken: MemberName[]): string {
  const name = (members: MemberName[]) => members.map((member) => t().profile[member]).join(", ");
  const sentences = [
    conflicts.length > 0 ? t().conflict.both(name(conflicts)) : "",
    taken.length > 0 ? t().conflict.taken(name(taken)) : "",
  ];
  return sentences.filter((sentence) => sentence !== "").join(" ");
}
