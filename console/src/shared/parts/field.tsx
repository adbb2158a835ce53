// A labelled field, which shows what is wrong with its value, and a labelled select.

import { useSignal } from "@preact/signals";
import type { ComponentChildren, InputHTMLAttributes, SelectHTMLAttributes } from "preact";
import { useId } from "preact/hooks";
import { t } from "../texts/language.ts";

interface Labelled {
  label: string;
  hint?: ComponentChildren;
}

interface Faults {
  /** Shown if the required value is missing, such as "Enter a name". */
  missing?: string | undefined;
  /** Shown if the value is not valid; otherwise the words of the browser are shown. */
  wrong?: string | undefined;
}

type FieldProps = Labelled & Faults & InputHTMLAttributes<HTMLInputElement>;

export function Field({ label, hint, missing, wrong, ...input }: FieldProps) {
  const { fault, described, below } = useDescribed({ hint, missing, wrong });
  return (
    <div class="field">
      <label for={described.id}>{label}</label>
      <input
        {...described}
        {...input}
        onInput={(event) => {
          fault.value = undefined;
          input.onInput?.(event);
        }}
      />
      {below}
    </div>
  );
}

/** What a field has below it: what is wrong with its value, and its hint. */
function useDescribed({ hint, missing, wrong }: Pick<Labelled, "hint"> & Faults) {
  const id = useId();
  const fault = useSignal<string | undefined>(undefined);
  const parts = [hint !== undefined && `${id}-hint`, fault.value !== undefined && `${id}-fault`];

  function showFault({ validity, validationMessage }: HTMLInputElement | HTMLSelectElement): void {
    fault.value = validity.valueMissing ? (missing ?? t().form.missing) : (wrong ?? validationMessage);
  }

  const described = {
    id,
    "aria-describedby": parts.filter(Boolean).join(" ") || undefined,
    "aria-invalid": fault.value !== undefined || undefined,
    onInvalid: (event: { currentTarget: HTMLInputElement | HTMLSelectElement }) =>
      showFault(event.currentTarget),
  };
  const below = (
    <>
      {fault.value !== undefined && (
        <small id={`${id}-fault`} class="failure">
          {fault.value}
        </small>
      )}
      {hint !== undefined && <small id={`${id}-hint`}>{hint}</small>}
    </>
  );
  return { fault, described, below };
}

interface NameFieldProps
  extends Pick<
    InputHTMLAttributes<HTMLInputElement>,
    "name" | "value" | "defaultValue" | "onInput" | "autoFocus"
  > {
  label?: string;
  maxLength: number;
}

/** The name of an animal, a person or a shelter: required, in any script, and not only spaces. */
export function NameField(props: NameFieldProps) {
  const { name: label, enterName } = t().common;
  return (
    <Field
      label={label}
      required
      pattern=".*\S.*"
      missing={enterName}
      wrong={enterName}
      dir="auto"
      autocomplete="off"
      {...props}
    />
  );
}

export function Choice({ label, hint, missing, wrong, ...select }: Labelled & Faults & SelectProps) {
  const { fault, described, below } = useDescribed({ hint, missing, wrong });
  return (
    <div class="field">
      <label for={described.id}>{label}</label>
      <Select
        {...described}
        {...select}
        onChange={(event) => {
          fault.value = undefined;
          select.onChange?.(event);
        }}
      />
      {below}
    </div>
  );
}

/** No `defaultValue`: Preact ignores it for a select. */
type SelectProps = SelectHTMLAttributes<HTMLSelectElement> & {
  choices: ReadonlyArray<readonly [value: string, text: string]>;
  defaultValue?: never;
};

export function Select({ choices, ...select }: SelectProps) {
  return (
    <select {...select}>
      {choices.map(([value, text]) => (
        <option key={value} value={value}>
          {text}
        </option>
      ))}
    </select>
  );
}
