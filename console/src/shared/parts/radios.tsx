// A choice between a few words, all visible; nothing chosen is possible too.

import type { ComponentChildren } from "preact";

interface RadiosProps {
  label: string;
  /** The empty value stands for "not stated". */
  choices: ReadonlyArray<[value: string, text: string]>;
  name: string;
  value: string;
  onChange: (value: string) => void;
  className?: string;
  /** Shown before the choices. */
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
