// The form for the appearance of the public pages.

import type { Signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { Listing } from "../../../client/src/client.ts";
import { SITE_INTRODUCTION_MAX, SITE_TITLE_MAX } from "../../../src/domain/basics/text-limits.ts";
import { DEFAULT_ACCENT } from "../../../src/look/accent.ts";
import { Choice, Field } from "../shared/parts/field.tsx";
import { Form } from "../shared/parts/form.tsx";
import { TextArea } from "../shared/parts/text-area.tsx";
import { site as storedSite } from "../shared/state/brand.ts";
import { watchChanges } from "../shared/state/leaving.ts";
import { ask } from "../shared/state/session.ts";
import { shelters } from "../shared/state/shelter-list.ts";
import { LANGUAGES, type Language, t } from "../shared/texts/language.ts";
import { later } from "../shared/texts/pages.ts";
import { type SiteFields, toFields, toPatch } from "./site-fields.ts";
import { SitePreview } from "./site-preview.tsx";

/** What is stored, and what is typed. */
export interface Appearance {
  saved: Signal<SiteFields>;
  draft: Signal<SiteFields>;
}

interface SiteFormProps {
  animals: Listing[];
  appearance: Appearance;
}

export function SiteForm({ animals, appearance: { saved, draft } }: SiteFormProps) {
  const changes = () => toPatch(saved.value, draft.value);
  const isChanged = () => Object.keys(changes()).length > 0;
  useEffect(() => watchChanges(isChanged), []);

  async function submit(_fields: FormData, signal: AbortSignal): Promise<string> {
    if (!isChanged()) return t().form.nothingChanged;
    storedSite.value = await ask((client) => client.updateSite(changes(), { signal }));
    saved.value = toFields(storedSite.value);
    draft.value = saved.value;
    return later().site.saved;
  }

  return (
    <>
      <Form action={t().form.save} onSubmit={submit}>
        <SiteInputs fields={draft.value} onInput={(typed) => (draft.value = { ...draft.value, ...typed })} />
      </Form>
      {storedSite.value?.isPublic === false && <SitePreview fields={draft.value} animals={animals} />}
    </>
  );
}

interface InputsProps {
  fields: SiteFields;
  onInput: (typed: Partial<SiteFields>) => void;
}

function SiteInputs({ fields, onInput }: InputsProps) {
  const texts = later().site;
  return (
    <>
      <Field
        label={texts.title}
        maxLength={SITE_TITLE_MAX}
        dir="auto"
        autocomplete="off"
        hint={texts.titleHint(shelters.value?.items[0]?.name ?? t().shelters.ours)}
        value={fields.title}
        onInput={({ currentTarget }) => onInput({ title: currentTarget.value })}
      />
      <TextArea
        label={texts.introduction}
        maxLength={SITE_INTRODUCTION_MAX}
        rows={4}
        value={fields.introduction}
        onInput={(introduction) => onInput({ introduction })}
      />
      <Choice
        label={texts.language}
        choices={Object.entries(LANGUAGES)}
        value={fields.language}
        onChange={({ currentTarget }) => onInput({ language: currentTarget.value as Language })}
      />
      <p class="checks">
        <label>
          <input
            type="checkbox"
            checked={fields.accent !== ""}
            onChange={({ currentTarget }) => onInput({ accent: currentTarget.checked ? DEFAULT_ACCENT : "" })}
          />
          {texts.ownColour}
        </label>
      </p>
      {fields.accent !== "" && (
        <Field
          type="color"
          label={texts.colour}
          hint={texts.colourHint}
          value={fields.accent}
          onInput={({ currentTarget }) => onInput({ accent: currentTarget.value })}
        />
      )}
    </>
  );
}
