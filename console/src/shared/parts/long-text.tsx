// A text that is shortened if it is long, with a button that shows all of it.

import { useSignal } from "@preact/signals";
import { t } from "../texts/language.ts";

const SHOWN_MAX = 240;
/** Characters that are shown before the first difference. */
const LEAD = 60;

interface LongTextProps {
  text: string;
  /** A text to compare with: the shortened text starts shortly before the first difference. */
  other?: string;
}

export function LongText({ text, other }: LongTextProps) {
  const isWhole = useSignal(false);
  const shown = isWhole.value ? text : shorten(text, other);
  return (
    <>
      <span class="long-text" dir="auto">
        {shown}
      </span>
      {text !== shorten(text, other) && (
        <button
          type="button"
          class="link"
          aria-expanded={isWhole.value}
          onClick={() => (isWhole.value = !isWhole.value)}
        >
          {isWhole.value ? t().common.showLess : t().common.showAll}
        </button>
      )}
    </>
  );
}

function shorten(text: string, other: string | undefined): string {
  const characters = [...text];
  if (characters.length <= SHOWN_MAX) return text;
  const difference = other === undefined ? 0 : findDifference(characters, [...other]);
  const start = Math.max(0, Math.min(difference - LEAD, characters.length - SHOWN_MAX));
  const end = start + SHOWN_MAX;
  const part = characters.slice(start, end).join("");
  return `${start > 0 ? "…" : ""}${part}${end < characters.length ? "…" : ""}`;
}

function findDifference(one: string[], other: string[]): number {
  const index = one.findIndex((character, at) => character !== other[at]);
  return index === -1 ? one.length : index;
}
