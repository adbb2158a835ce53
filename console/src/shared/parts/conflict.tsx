// Shows that two people have changed the same thing: both values, and the choice between them as radio buttons.

import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";
import { t } from "../texts/language.ts";
import { LongText } from "./long-text.tsx";

export type Keep = "mine" | "theirs" | "both";

export interface ConflictProps {
  label: string;
  mine: string;
  theirs: string;
  choice: Keep | undefined;
  canKeepBoth: boolean;
  onChoose: (choice: Keep) => void;
}

export function Conflict({ label, mine, theirs, choice, canKeepBoth, onChoose }: ConflictProps) {
  const name = useId();
  const texts = t().conflict;
  const offered: Keep[] = canKeepBoth ? ["mine", "theirs", "both"] : ["mine", "theirs"];
  return (
    <Radios
      label={texts.title(label)}
      name={name}
      value={choice ?? ""}
      choices={offered.map((each) => [each, texts.keep[each]])}
      onChange={(value) => onChoose(value as Keep)}
      className={choice === undefined ? "conflict open" : "conflict"}
    >
      <dl>
        <div>
          <dt>{texts.mine}</dt>
          <dd>
            <LongText text={mine} other={theirs} />
          </dd>
        </div>
        <div>
          <dt>{texts.theirs}</dt>
          <dd>
            <LongText text={theirs} other={mine} />
          </dd>
        </div>
      </dl>
    </Radios>
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
