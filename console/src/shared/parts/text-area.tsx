// A labelled field for a text of several lines, which shows how many characters are used.

import { useId } from "preact/hooks";
import { formatCount } from "../state/format.ts";
import { t } from "../texts/language.ts";

/** The number of characters left is shown from this share of the maximum. */
const SHOWN_FROM = 0.8;

interface TextAreaProps {
  label: string;
  value: string;
  maxLength: number;
  rows: number;
  /** Shown until the number of characters is. */
  hint?: string;
  onInput: (value: string) => void;
}

export function TextArea({ label, value, maxLength, rows, hint, onInput }: TextAreaProps) {
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
        {used > maxLength * SHOWN_FROM ? t().form.used(formatCount(used), formatCount(maxLength)) : hint}
      </small>
    </div>
  );
}
