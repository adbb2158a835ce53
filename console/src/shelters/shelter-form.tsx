// The form of a shelter. Changes of others appear in it; where both have changed the same, it asks.

import { useEffect } from "preact/hooks";
import type { Shelter } from "../../../client/src/client.ts";
import {
  ABOUT_MAX,
  ADDRESS_LINE_MAX,
  EMAIL_MAX,
  OPENING_HOURS_MAX,
  PHONE_MAX,
  SHELTER_NAME_MAX,
} from "../../../src/domain/basics/text-limits.ts";
import { Conflict } from "../shared/parts/conflict.tsx";
import { Field, NameField } from "../shared/parts/field.tsx";
import { Form } from "../shared/parts/form.tsx";
import { TextArea } from "../shared/parts/text-area.tsx";
import { watchChanges } from "../shared/state/leaving.ts";
import { t } from "../shared/texts/language.ts";
import { type FieldName, readCoordinates, type ShelterFields } from "./shelter-fields.ts";
import { useShelterDraft } from "./use-shelter-draft.ts";

interface ShelterFormProps {
  shelter: Shelter;
  onSaved: () => Promise<void>;
}

export function ShelterForm({ shelter, onSaved }: ShelterFormProps) {
  const draft = useShelterDraft(shelter);
  const conflicts = draft.conflicts();

  useEffect(() => watchChanges(draft.isChanged), []);
  useEffect(() => draft.takeOver(shelter), [shelter]);

  async function submit(_fields: FormData, signal: AbortSignal): Promise<string> {
    if ((await draft.save(signal)) === undefined) return t().form.nothingChanged;
    await onSaved();
    return t().form.saved;
  }

  return (
    <Form action={t().form.save} onSubmit={submit}>
      <ShelterInputs fields={draft.fields()} onInput={draft.input} />
      <p role="status" class="held">
        {conflicts.length > 0 && t().conflict.both(conflicts.map(({ label }) => label).join(", "))}
      </p>
      {conflicts.map((conflict) => (
        <Conflict key={conflict.label} {...conflict} />
      ))}
    </Form>
  );
}

interface InputsProps {
  fields: ShelterFields;
  onInput: (typed: Partial<ShelterFields>) => void;
}

function ShelterInputs({ fields, onInput }: InputsProps) {
  const texts = t().shelters;
  const text = (name: FieldName) => ({
    label: texts.fields[name],
    value: fields[name],
    onInput: ({ currentTarget }: { currentTarget: HTMLInputElement }) =>
      onInput({ [name]: currentTarget.value }),
  });
  const area = (name: FieldName) => ({
    label: texts.fields[name],
    value: fields[name],
    onInput: (value: string) => onInput({ [name]: value }),
  });
  const web = { type: "url", pattern: "https://.*", wrong: t().profile.videoUrlWrong } as const;
  return (
    <>
      <ShelterName value={fields.name} onInput={(name) => onInput({ name })} />
      <h2>{texts.contact}</h2>
      <div class="pair">
        <Field type="email" maxLength={EMAIL_MAX} wrong={texts.emailWrong} {...text("email")} />
        <Field type="tel" maxLength={PHONE_MAX} {...text("phone")} />
        <Field {...web} {...text("website")} />
        <Field {...web} {...text("adoptUrl")} />
      </div>
      <TextArea maxLength={OPENING_HOURS_MAX} rows={3} {...area("openingHours")} />
      <TextArea maxLength={ABOUT_MAX} rows={4} {...area("about")} />
      <h2>{texts.address}</h2>
      <div class="pair">
        {(["street", "postalCode", "city", "region"] as const).map((name) => (
          <Field key={name} maxLength={ADDRESS_LINE_MAX} dir="auto" {...text(name)} />
        ))}
        <Field
          pattern="[A-Za-z]{2}"
          hint={texts.countryHint}
          wrong={texts.countryHint}
          {...text("country")}
        />
      </div>
      <Coordinates fields={fields} onInput={onInput} />
    </>
  );
}

interface ShelterNameProps {
  value: string;
  onInput: (value: string) => void;
}

export function ShelterName({ value, onInput }: ShelterNameProps) {
  return (
    <NameField
      maxLength={SHELTER_NAME_MAX}
      value={value}
      onInput={({ currentTarget }) => onInput(currentTarget.value)}
    />
  );
}

/** Map services copy both numbers at once: pasted into one field, they fill both. */
function Coordinates({ fields, onInput }: InputsProps) {
  const { latitude, longitude } = fields;
  const limits = { latitude: 90, longitude: 180 };
  function paste(event: ClipboardEvent): void {
    const both = readCoordinates(event.clipboardData?.getData("text") ?? "");
    if (both === undefined) return;
    event.preventDefault();
    onInput(both);
  }
  return (
    <fieldset aria-describedby="coordinates">
      <legend class="visually-hidden">{t().shelters.coordinates}</legend>
      <div class="pair">
        {(["latitude", "longitude"] as const).map((name) => (
          <Field
            key={name}
            type="number"
            step="any"
            min={-limits[name]}
            max={limits[name]}
            required={latitude !== "" || longitude !== ""}
            missing={t().shelters.bothNumbers}
            label={t().shelters.fields[name]}
            value={fields[name]}
            onInput={({ currentTarget }) => onInput({ [name]: currentTarget.value })}
            onPaste={paste}
          />
        ))}
      </div>
      <small id="coordinates">{t().shelters.coordinatesHint}</small>
    </fieldset>
  );
}
