// Labelled inputs: a field, a select, radio buttons and a text of several lines.

import { useSignal } from "@preact/signals";
import type { ComponentChildren, InputHTMLAttributes, SelectHTMLAttributes } from "preact";
import { useId } from "preact/hooks";
import { capitalise, formatCount } from "../state/format.ts";
import { t } from "../texts/language.ts";

interface Labelled {
  label: string;
  hint?: ComponentChildren;
}

interface Faults {
  /** Shown if the required value is missing, such as "Enter a name". */
  missing?: string;
  /** Shown if the value is not valid; otherwise the words of the browser are shown. */
  wrong?: string;
}

export function Field({
  label,
  hint,
  missing,
  wrong,
  ...input
}: Labelled & Faults & InputHTMLAttributes<HTMLInputElement>) {
  const id = useId();
  const fault = useSignal<string | undefined>(undefined);
  const described = [hint !== undefined && `${id}-hint`, fault.value !== undefined && `${id}-fault`];

  function showFault({
    currentTarget: { validity, validationMessage },
  }: {
    currentTarget: HTMLInputElement;
  }) {
    fault.value = validity.valueMissing ? (missing ?? t().form.missing) : (wrong ?? validationMessage);
  }

  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        id={id}
        aria-describedby={described.filter(Boolean).join(" ") || undefined}
        aria-invalid={fault.value !== undefined || undefined}
        {...input}
        onInvalid={showFault}
        onInput={(event) => {
          fault.value = undefined;
          input.onInput?.(event);
        }}
      />
      {fault.value !== undefined && (
        <small id={`${id}-fault`} class="failure">
          {fault.value}
        </small>
      )}
      {hint !== undefined && <small id={`${id}-hint`}>{hint}</small>}
    </div>
  );
}

/** No `defaultValue`: Preact ignores it for a select. */
type ChoiceProps = Labelled &
  SelectHTMLAttributes<HTMLSelectElement> & {
    choices: ReadonlyArray<string | [value: string, text: string]>;
    defaultValue?: never;
  };

export function Choice({ label, hint, choices, ...select }: ChoiceProps) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <select id={id} aria-describedby={hint === undefined ? undefined : `${id}-hint`} {...select}>
        {choices.map((choice) => {
          const [value, text] = typeof choice === "string" ? [choice, capitalise(choice)] : choice;
          return (
            <option key={value} value={value}>
              {text}
            </option>
          );
        })}
      </select>
      {hint !== undefined && <small id={`${id}-hint`}>{hint}</small>}
    </div>
  );
}

interface RadiosProps {
  label: string;
  /** The empty value stands for "not stated". */
  choices: ReadonlyArray<[value: string, text: string]>;
  name: string;
  value: string;
  onChange: (value: string) => void;
  className?: string;
  children?: ComponentChildren;
}

export function Radios({ label, choices, name, value, onChange, className, children }: RadiosProps) {
  return (
    <fieldset class={className === undefined ? "radios" : `radios ${className}`}>
      <legend>{label}</legend>
      {children}
      {choices.map(([each, text]) => (
        <label key={each}>
          <input
            type="radio"
            name={name}
            value={each}
            checked={each === value}
            onChange={() => onChange(each)}
          />
          {text}
        </label>
      ))}
    </fieldset>
  );
}

/** The number of characters left is shown from this share of the maximum. */
const SHOWN_FROM = 0.8;

interface TextAreaProps {
  label: string;
  value: string;
  maxLength: number;
  rows: number;
  onInput: (value: string) => void;
}

export function TextArea({ label, value, maxLength, rows, onInput }: TextAreaProps) {
  const id = useId();
  // As the service counts: an emoji is one character.
  const used = [...value].length;
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <textarea
        id={id}
        rows={rows}
        dir="auto"
        value={value}
        aria-describedby={`${id}-left`}
        aria-invalid={used > maxLength || undefined}
        onInput={({ currentTarget }) => onInput(currentTarget.value)}
      />
      <small id={`${id}-left`} class={used > maxLength ? "failure" : undefined}>
        {used > maxLength * SHOWN_FROM && t().form.used(formatCount(used), formatCount(maxLength))}
      </small>
    </div>
  );
}
