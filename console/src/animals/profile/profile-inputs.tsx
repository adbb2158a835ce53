// The fields of an animal's profile, each with the conflict that it may have.

import type { ComponentChildren } from "preact";
import { DESCRIPTION_MAX, EXTERNAL_ID_MAX } from "../../../../src/domain/animals/profile.ts";
import { Conflict, type ConflictProps, Radios } from "../../shared/parts/conflict.tsx";
import { Choice, Field } from "../../shared/parts/field.tsx";
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
  const text = (name: FieldName) => ({
    label: texts[name],
    value: draft[name],
    onInput: ({ currentTarget }: { currentTarget: HTMLInputElement }) => onInput(name, currentTarget.value),
  });
  const choice = (name: FieldName, words: Record<string, string>) =>
    at(
      name,
      <Choice
        label={texts[name]}
        choices={orNotStated(words)}
        value={draft[name]}
        onChange={({ currentTarget }) => onInput(name, currentTarget.value)}
      />,
    );
  return (
    <>
      <div class="pair">
        {choice("species", t().species)}
        {at("breeds", <Field hint={texts.breedsHint} dir="auto" {...text("breeds")} />)}
        {choice("mixed", { true: t().yesNo.yes, false: t().yesNo.no })}
        {choice("sex", t().sex)}
        {at("bornOn", <Field type="date" {...text("bornOn")} />)}
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
        {choice("size", t().size)}
        {choice("coat", t().coat)}
        {at("colors", <Field hint={texts.colorsHint} dir="auto" {...text("colors")} />)}
        {at("arrivedOn", <Field type="date" {...text("arrivedOn")} />)}
      </div>
      <div class="pair">
        {ANSWERS.map((name) =>
          at(
            name,
            <Radios
              label={texts[name]}
              name={name}
              value={draft[name]}
              choices={orNotStated(t().yesNo)}
              onChange={(value) => onInput(name, value)}
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
            inputMode="decimal"
            pattern="[0-9]+([.,][0-9]{1,3})?"
            wrong={texts.feeAmountWrong}
            {...text("feeAmount")}
          />,
        )}
        {at(
          "feeCurrency",
          <Field
            hint={texts.feeCurrencyHint}
            pattern="[A-Za-z]{3}"
            required={draft.feeAmount !== ""}
            missing={texts.feeCurrencyMissing}
            wrong={texts.feeCurrencyMissing}
            {...text("feeCurrency")}
          />,
        )}
        {at("tags", <Field hint={texts.tagsHint} dir="auto" {...text("tags")} />)}
        {at(
          "externalId",
          <Field hint={texts.externalIdHint} maxLength={EXTERNAL_ID_MAX} {...text("externalId")} />,
        )}
        {at(
          "videoUrl",
          <Field type="url" pattern="https://.*" wrong={texts.videoUrlWrong} {...text("videoUrl")} />,
        )}
      </div>
    </>
  );
}

function orNotStated(words: Record<string, string>): Array<[string, string]> {
  return [["", t().profile.notStated], ...Object.entries(words)];
}
