// The form of an animal's profile. Changes of others appear in it, except where something was typed.

import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import {
  etagOf,
  type Listing,
  PreconditionFailedError,
  type ProfilePatch,
  VALUES,
} from "../../../client/src/client.ts";
import { DESCRIPTION_MAX, EXTERNAL_ID_MAX } from "../../../src/domain/profile.ts";
import { Choice, Field } from "../parts/field.tsx";
import { Form } from "../parts/form.tsx";
import { Radios } from "../parts/radios.tsx";
import { TextArea } from "../parts/text-area.tsx";
import { watchChanges } from "../state/leaving.ts";
import { ask } from "../state/session.ts";
import { t } from "../texts/language.ts";
import { type FieldName, mergeFields, type ProfileFields, toFields, toPatch } from "./profile-fields.ts";

/** Behind a proxy that changes ETags, no attempt succeeds. */
const ATTEMPTS_MAX = 2;

interface ProfileFormProps {
  listing: Listing;
  onChanged: () => Promise<void>;
}

export function ProfileForm({ listing, onChanged }: ProfileFormProps) {
  /** The listing that the form was last compared with. */
  const known = useRef(listing);
  const base = useSignal(toFields(listing.profile));
  const draft = useSignal(base.value);
  /** Fields that someone else has changed too. */
  const conflicts = useSignal<FieldName[]>([]);
  const isChanged = () => !isSame(base.peek(), draft.peek());

  useEffect(() => watchChanges(isChanged), []);

  /** Shows what others have changed, and keeps what was typed. */
  function takeOver(fresh: Listing): void {
    const fields = toFields(fresh.profile);
    const merged = mergeFields(base.value, draft.value, fields);
    known.current = fresh;
    base.value = fields;
    draft.value = merged.draft;
    conflicts.value = [...new Set([...conflicts.value, ...merged.conflicts])];
  }

  useEffect(() => {
    if (listing !== known.current) takeOver(listing);
  }, [listing]);

  async function submit(_fields: FormData, signal: AbortSignal): Promise<string> {
    if (!isChanged()) return t().form.nothingChanged;
    const [before, sent] = [base.value, draft.value];
    const fresh = await save(toPatch(before, sent), signal);
    // Keeps text that was typed while the request ran, as a change of what is stored now.
    base.value = mergeFields(before, sent, base.value).draft;
    takeOver(fresh);
    // The service stores some texts in another form, for example a currency in capitals. That is no conflict.
    conflicts.value = [];
    await onChanged();
    return t().animal.profileSaved;
  }

  async function save(patch: ProfilePatch, signal: AbortSignal): Promise<Listing> {
    for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt++) {
      const options = { signal, ifMatch: etagOf(known.current) };
      try {
        return await ask((client) => client.updateProfile(listing.id, patch, options));
      } catch (error) {
        if (!(error instanceof PreconditionFailedError)) throw error;
      }
      const before = base.value;
      takeOver(await ask((client) => client.getListing(listing.id, { signal })));
      // A new name, status or photo, perhaps of this page, is no reason to ask.
      if (!isSame(before, base.value)) break;
    }
    throw new Error(t().animal.changedMeanwhile);
  }

  return (
    <section aria-labelledby="profile" class="profile">
      <h2 id="profile">{t().animal.profile}</h2>
      <Form action={t().form.save} onSubmit={submit}>
        {conflicts.value.length > 0 && (
          <p role="status" class="held">
            {t().animal.conflicts(conflicts.value.map((field) => t().profile[field]).join(", "))}
          </p>
        )}
        <ProfileInputs
          draft={draft.value}
          onInput={(field, value) => {
            draft.value = { ...draft.value, [field]: value };
          }}
        />
      </Form>
    </section>
  );
}

function isSame(one: ProfileFields, other: ProfileFields): boolean {
  return Object.keys(toPatch(one, other)).length === 0;
}

interface InputsProps {
  draft: ProfileFields;
  onInput: (field: FieldName, value: string) => void;
}

function ProfileInputs({ draft, onInput }: InputsProps) {
  const texts = t().profile;
  const text = (field: FieldName) => ({
    value: draft[field],
    onInput: ({ currentTarget }: { currentTarget: HTMLInputElement }) => onInput(field, currentTarget.value),
  });
  const choice = (field: FieldName) => ({
    value: draft[field],
    onChange: ({ currentTarget }: { currentTarget: HTMLSelectElement }) =>
      onInput(field, currentTarget.value),
  });
  return (
    <>
      <div class="pair">
        <Choice label={texts.species} choices={choices(VALUES.Species, t().species)} {...choice("species")} />
        <Field label={texts.breeds} hint={texts.breedsHint} dir="auto" {...text("breeds")} />
        <Choice
          label={texts.mixed}
          choices={[
            ["", texts.notStated],
            ["true", t().yesNo.yes],
            ["false", t().yesNo.no],
          ]}
          {...choice("mixed")}
        />
        <Choice label={texts.sex} choices={choices(VALUES.Sex, t().sex)} {...choice("sex")} />
        <Field label={texts.bornOn} type="date" {...text("bornOn")} />
        <label class="check">
          <input
            type="checkbox"
            checked={draft.bornIsEstimated === "true"}
            onChange={({ currentTarget }) => onInput("bornIsEstimated", currentTarget.checked ? "true" : "")}
          />
          {texts.bornIsEstimated}
        </label>
        <Choice label={texts.size} choices={choices(VALUES.Size, t().size)} {...choice("size")} />
        <Choice label={texts.coat} choices={choices(VALUES.Coat, t().coat)} {...choice("coat")} />
        <Field label={texts.colors} hint={texts.colorsHint} dir="auto" {...text("colors")} />
        <Field label={texts.arrivedOn} type="date" {...text("arrivedOn")} />
      </div>
      <div class="pair">
        {ANSWERS.map((field) => (
          <Radios
            key={field}
            label={texts[field]}
            name={field}
            value={draft[field]}
            choices={choices(VALUES.YesNoUnknown, t().yesNo)}
            onChange={(value) => onInput(field, value)}
          />
        ))}
      </div>
      <TextArea
        label={texts.description}
        value={draft.description}
        maxLength={DESCRIPTION_MAX}
        rows={6}
        onInput={(value) => onInput("description", value)}
      />
      <div class="pair">
        <Field
          label={texts.feeAmount}
          inputMode="decimal"
          pattern="[0-9]+([.,][0-9]{1,3})?"
          wrong={texts.feeAmountWrong}
          {...text("feeAmount")}
        />
        <Field
          label={texts.feeCurrency}
          hint={texts.feeCurrencyHint}
          pattern="[A-Za-z]{3}"
          required={draft.feeAmount !== ""}
          missing={texts.feeCurrencyMissing}
          wrong={texts.feeCurrencyMissing}
          {...text("feeCurrency")}
        />
        <Field label={texts.tags} hint={texts.tagsHint} dir="auto" {...text("tags")} />
        <Field
          label={texts.externalId}
          hint={texts.externalIdHint}
          maxLength={EXTERNAL_ID_MAX}
          {...text("externalId")}
        />
        <Field
          label={texts.videoUrl}
          type="url"
          pattern="https://.*"
          wrong={texts.videoUrlWrong}
          {...text("videoUrl")}
        />
      </div>
    </>
  );
}

const ANSWERS = [
  "goodWithChildren",
  "goodWithDogs",
  "goodWithCats",
  "neutered",
  "vaccinated",
  "houseTrained",
  "specialNeeds",
] as const;

/** With "not stated" as the first choice. */
function choices<T extends string>(values: readonly T[], words: Record<T, string>): Array<[string, string]> {
  return [["", t().profile.notStated], ...values.map((value): [string, string] => [value, words[value]])];
}
