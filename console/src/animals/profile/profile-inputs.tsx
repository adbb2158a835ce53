// The fields of an animal's profile, each with the conflict that it may have.

import type { ComponentChildren } from "preact";
import { VALUES } from "../../../../client/src/client.ts";
import { DESCRIPTION_MAX, EXTERNAL_ID_MAX } from "../../../../src/domain/animals/profile.ts";
import { Conflict, type ConflictProps } from "../../shared/parts/conflict.tsx";
import { Choice, Field } from "../../shared/parts/field.tsx";
import { Radios } from "../../shared/parts/radios.tsx";
import { TextArea } from "../../shared/parts/text-area.tsx";
import { t } from "../../shared/texts/language.ts";
import type { FieldName, MemberName, ProfileFields } from "./profile-fields.ts";
import { ANSWERS } from "./profile-words.ts";

interface InputsProps {
  draft: ProfileFields;
  onInput: (field: FieldName, value: string) => void;
  conflicts: Array<ConflictProps & { member: MemberName }>;
}

export function ProfileInputs({ draft, onInput, conflicts }: InputsProps) {
  const texts = t().profile;
  /** Always the same elements around the field, so that it keeps the focus when a conflict appears. */
  const at = (field: FieldName, input: ComponentChildren) => (
    <div key={field} class="member">
      {input}
      {conflicts
        .filter(({ member }) => member === field)
        .map(({ member, ...conflict }) => (
          <Conflict key={member} {...conflict} />
        ))}
    </div>
  );
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
        {at(
          "species",
          <Choice
            label={texts.species}
            choices={choices(VALUES.Species, t().species)}
            {...choice("species")}
          />,
        )}
        {at("breeds", <Field label={texts.breeds} hint={texts.breedsHint} dir="auto" {...text("breeds")} />)}
        {at("mixed", <Choice label={texts.mixed} choices={mixedChoices()} {...choice("mixed")} />)}
        {at("sex", <Choice label={texts.sex} choices={choices(VALUES.Sex, t().sex)} {...choice("sex")} />)}
        {at("bornOn", <Field label={texts.bornOn} type="date" {...text("bornOn")} />)}
        {at(
          "bornIsEstimated",
          <label class="check">
            <input
              type="checkbox"
              checked={draft.bornIsEstimated === "true"}
              onChange={({ currentTarget }) =>
                onInput("bornIsEstimated", currentTarget.checked ? "true" : "")
              }
            />
            {texts.bornIsEstimated}
          </label>,
        )}
        {at(
          "size",
          <Choice label={texts.size} choices={choices(VALUES.Size, t().size)} {...choice("size")} />,
        )}
        {at(
          "coat",
          <Choice label={texts.coat} choices={choices(VALUES.Coat, t().coat)} {...choice("coat")} />,
        )}
        {at("colors", <Field label={texts.colors} hint={texts.colorsHint} dir="auto" {...text("colors")} />)}
        {at("arrivedOn", <Field label={texts.arrivedOn} type="date" {...text("arrivedOn")} />)}
      </div>
      <div class="pair">
        {ANSWERS.map((field) =>
          at(
            field,
            <Radios
              label={texts[field]}
              name={field}
              value={draft[field]}
              choices={choices(VALUES.YesNoUnknown, t().yesNo)}
              onChange={(value) => onInput(field, value)}
            />,
          ),
        )}
      </div>
      {at(
        "description",
        <TextArea
          label={texts.description}
          value={draft.description}
          maxLength={DESCRIPTION_MAX}
          rows={6}
          onInput={(value) => onInput("description", value)}
        />,
      )}
      <div class="pair">
        {at(
          "feeAmount",
          <Field
            label={texts.feeAmount}
            inputMode="decimal"
            pattern="[0-9]+([.,][0-9]{1,3})?"
            wrong={texts.feeAmountWrong}
            {...text("feeAmount")}
          />,
        )}
        {at(
          "feeCurrency",
          <Field
            label={texts.feeCurrency}
            hint={texts.feeCurrencyHint}
            pattern="[A-Za-z]{3}"
            required={draft.feeAmount !== ""}
            missing={texts.feeCurrencyMissing}
            wrong={texts.feeCurrencyMissing}
            {...text("feeCurrency")}
          />,
        )}
        {at("tags", <Field label={texts.tags} hint={texts.tagsHint} dir="auto" {...text("tags")} />)}
        {at(
          "externalId",
          <Field
            label={texts.externalId}
            hint={texts.externalIdHint}
            maxLength={EXTERNAL_ID_MAX}
            {...text("externalId")}
          />,
        )}
        {at(
          "videoUrl",
          <Field
            label={texts.videoUrl}
            type="url"
            pattern="https://.*"
            wrong={texts.videoUrlWrong}
            {...text("videoUrl")}
          />,
        )}
      </div>
    </>
  );
}

function mixedChoices(): Array<[string, string]> {
  return [
    ["", t().profile.notStated],
    ["true", t().yesNo.yes],
    ["false", t().yesNo.no],
  ];
}

/** With "not stated" as the first choice. */
function choices<T extends string>(values: readonly T[], words: Record<T, string>): Array<[string, string]> {
  return [["", t().profile.notStated], ...values.map((value): [string, string] => [value, words[value]])];
}
