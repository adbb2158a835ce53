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
  return (
    <Described
      {...{ label, hint, missing, wrong }}
      control={(described) => <input {...described} {...input} />}
    />
  );
}

interface DescribedProps extends Labelled, Faults {
  control: (described: {
    id: string;
    "aria-describedby": string | undefined;
    "aria-invalid": true | undefined;
  }) => ComponentChildren;
}

/** A control with its label above it, and below it what is wrong with its value, and a hint. */
function Described({ label, hint, missing, wrong, control }: DescribedProps) {
  const id = useId();
  const fault = useSignal<string | undefined>(undefined);
  const parts = [hint !== undefined && `${id}-hint`, fault.value !== undefined && `${id}-fault`];

  function showFault({ validity, validationMessage }: HTMLInputElement | HTMLSelectElement): void {
    fault.value = validity.valueMissing ? (missing ?? t().form.missing) : (wrong ?? validationMessage);
  }

  return (
    <div
      class="field"
      onInput={() => (fault.value = undefined)}
      onInvalidCapture={({ target }) => showFault(target as HTMLInputElement | HTMLSelectElement)}
    >
      <label for={id}>{label}</label>
      {control({
        id,
        "aria-describedby": parts.filter(Boolean).join(" ") || undefined,
        "aria-invalid": fault.value !== undefined || undefined,
      })}
      {fault.value !== undefined && (
        <small id={`${id}-fault`} class="failure">
          {fault.value}
        </small>
      )}
      {hint !== undefined && <small id={`${id}-hint`}>{hint}</small>}
    </div>
  );
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
  return (
    <Described
      {...{ label, hint, missing, wrong }}
      control={(described) => <Select {...described} {...select} />}
    />
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
