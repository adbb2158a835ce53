// A labelled input, and a labelled select.

import type { ComponentChildren, InputHTMLAttributes, SelectHTMLAttributes } from "preact";
import { useId } from "preact/hooks";
import { capitalise } from "../state/format.ts";

interface Labelled {
  label: string;
  hint?: ComponentChildren;
}

export function Field({ label, hint, ...input }: Labelled & InputHTMLAttributes<HTMLInputElement>) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input id={id} aria-describedby={hint === undefined ? undefined : `${id}-hint`} {...input} />
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
