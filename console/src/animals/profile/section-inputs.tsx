// The fields of the sections of an animal's page, each with the conflict that it may have.

import type { ComponentChildren } from "preact";
import { DESCRIPTION_MAX, EXTERNAL_ID_MAX } from "../../../../src/domain/animals/profile.ts";
import { PET_NAME_MAX } from "../../../../src/domain/basics/text-limits.ts";
import { Conflict, type ConflictProps, Radios } from "../../shared/parts/conflict.tsx";
import { Choice, Field, NameField } from "../../shared/parts/field.tsx";
import { TextArea } from "../../shared/parts/text-area.tsx";
import { t } from "../../shared/texts/language.ts";
import { CategoryFields } from "../category-fields.tsx";
import type { FieldName, MemberName, ProfileFields } from "./profile-fields.ts";
import { labelOf } from "./profile-words.ts";
import { ANSWERS, type SectionName } from "./sections.ts";

interface InputsProps {
  draft: ProfileFields;
  onInput: (field: FieldName, value: string) => void;
  conflicts: Array<ConflictProps & { member: MemberName }>;
}

export function SectionInputs({ section, ...props }: InputsProps & { section: SectionName }) {
  const Inputs = INPUTS[section];
  return <Inputs {...props} />;
}

const INPUTS: Record<SectionName, (props: InputsProps) => preact.JSX.Element> = {
  identity: IdentityInputs,
  traits: TraitInputs,
  story: StoryInputs,
  records: RecordInputs,
};

function IdentityInputs(props: InputsProps) {
  const { draft, onInput } = props;
  const texts = t().profile;
  return (
    <>
      <At {...props} member="name">
        <NameField maxLength={PET_NAME_MAX} {...textOf(props, "name")} />
      </At>
      <div class="pair">
        <At {...props} member="species">
          <Words {...props} field="species" words={t().species} />
        </At>
        <At {...props} member="sex">
          <Words {...props} field="sex" words={t().sex} />
        </At>
        <At {...props} member="breeds">
          <Field hint={texts.breedsHint} dir="auto" {...textOf(props, "breeds")} />
        </At>
        <At {...props} member="mixed">
          <Words {...props} field="mixed" words={{ true: t().yesNo.yes, false: t().yesNo.no }} />
        </At>
        <At {...props} member="bornOn">
          <Field type="date" {...textOf(props, "bornOn")} />
        </At>
        <At {...props} member="bornIsEstimated">
          <label class="check">
            <input
              type="checkbox"
              checked={draft.bornIsEstimated === "true"}
              onChange={({ currentTarget }) =>
                onInput("bornIsEstimated", currentTarget.checked ? "true" : "")
              }
            />
            {texts.bornIsEstimated}
          </label>
        </At>
      </div>
      <At {...props} member="categoryId">
        <CategoryFields value={draft.categoryId} onInput={(value) => onInput("categoryId", value)} />
      </At>
    </>
  );
}

function TraitInputs(props: InputsProps) {
  const { draft, onInput } = props;
  const texts = t().profile;
  return (
    <>
      <div class="pair">
        <At {...props} member="size">
          <Words {...props} field="size" words={t().size} />
        </At>
        <At {...props} member="coat">
          <Words {...props} field="coat" words={t().coat} />
        </At>
      </div>
      <At {...props} member="colors">
        <Field hint={texts.colorsHint} dir="auto" {...textOf(props, "colors")} />
      </At>
      <div class="answers">
        {ANSWERS.map((name) => (
          <At key={name} {...props} member={name}>
            <Radios
              label={texts[name]}
              name={name}
              value={draft[name]}
              choices={orNotStated(t().yesNo)}
              className="answer"
              onChange={(value) => onInput(name, value)}
            />
          </At>
        ))}
      </div>
      <At {...props} member="tags">
        <Field hint={texts.tagsHint} dir="auto" {...textOf(props, "tags")} />
      </At>
    </>
  );
}

function StoryInputs(props: InputsProps) {
  const { draft, onInput } = props;
  const texts = t().profile;
  return (
    <>
      <At {...props} member="description">
        <TextArea
          label={texts.description}
          value={draft.description}
          maxLength={DESCRIPTION_MAX}
          rows={12}
          onInput={(value) => onInput("description", value)}
        />
      </At>
      <At {...props} member="videoUrl">
        <Field type="url" pattern="https://.*" wrong={texts.videoUrlWrong} {...textOf(props, "videoUrl")} />
      </At>
    </>
  );
}

function RecordInputs(props: InputsProps) {
  const texts = t().profile;
  return (
    <div class="pair">
      <At {...props} member="arrivedOn">
        <Field type="date" {...textOf(props, "arrivedOn")} />
      </At>
      <At {...props} member="externalId">
        <Field
          hint={texts.externalIdHint}
          maxLength={EXTERNAL_ID_MAX}
          dir="auto"
          {...textOf(props, "externalId")}
        />
      </At>
      <At {...props} member="feeAmount">
        <Field
          inputMode="decimal"
          pattern="[0-9]+([.,][0-9]{1,3})?"
          wrong={texts.feeAmountWrong}
          {...textOf(props, "feeAmount")}
        />
      </At>
      <Field
        hint={texts.feeCurrencyHint}
        pattern="[A-Za-z]{3}"
        required={props.draft.feeAmount !== ""}
        missing={texts.feeCurrencyMissing}
        wrong={texts.feeCurrencyMissing}
        {...textOf(props, "feeCurrency")}
      />
    </div>
  );
}

interface AtProps extends Pick<InputsProps, "conflicts"> {
  member: MemberName;
  children: ComponentChildren;
}

/** Always the same elements around the field, so that it keeps the focus when a conflict appears. */
function At({ member, conflicts, children }: AtProps) {
  return (
    <div class="member">
      {children}
      {conflicts
        .filter((conflict) => conflict.member === member)
        .map(({ member: _, ...conflict }) => (
          <Conflict key={member} {...conflict} />
        ))}
    </div>
  );
}

interface WordsProps extends Pick<InputsProps, "draft" | "onInput"> {
  field: FieldName;
  words: Record<string, string>;
}

function Words({ field, words, draft, onInput }: WordsProps) {
  return (
    <Choice
      label={labelOf(field)}
      choices={orNotStated(words)}
      value={draft[field]}
      onChange={({ currentTarget }) => onInput(field, currentTarget.value)}
    />
  );
}

function textOf({ draft, onInput }: InputsProps, field: FieldName) {
  return {
    label: labelOf(field),
    value: draft[field],
    onInput: ({ currentTarget }: { currentTarget: HTMLInputElement }) => onInput(field, currentTarget.value),
  };
}

function orNotStated(words: Record<string, string>): Array<[string, string]> {
  return [["", t().profile.notStated], ...Object.entries(words)];
}
