// The category of an animal in a form: one with a name, or the number of one without.

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { Choice, Field } from "../shared/parts/field.tsx";
import { categories, ensureCategories } from "../shared/state/category-names.ts";
import { t } from "../shared/texts/language.ts";

const OTHER = "other";

interface CategoryFieldsProps {
  /** The number as a text. */
  value: string;
  onInput: (value: string) => void;
}

export function CategoryFields({ value, onInput }: CategoryFieldsProps) {
  const known = categories.value?.items ?? [];
  const named = known.map(({ id, name }) => [String(id), name] as [string, string]);
  const isNamed = named.some(([id]) => id === value);
  /** Whether a number is typed: then the field stays, also while the number is one with a name. */
  const isTyping = useSignal(false);

  useEffect(() => void ensureCategories().catch(() => {}), []);

  function choose(chosen: string): void {
    isTyping.value = chosen === OTHER;
    onInput(chosen === OTHER ? "" : chosen);
  }

  // A number without a name, or another value than the typed one: what someone else has saved.
  const isOther = isTyping.value || !isNamed;
  return (
    <>
      {named.length > 0 && (
        <Choice
          label={t().common.category}
          choices={[...named, [OTHER, t().animalForm.otherCategory]]}
          value={isOther ? OTHER : value}
          onChange={({ currentTarget }) => choose(currentTarget.value)}
        />
      )}
      {isOther && (
        <Field
          label={t().animalForm.categoryNumber}
          name="categoryId"
          required
          inputMode="numeric"
          pattern="-?[0-9]+"
          value={value}
          missing={t().common.enterNumber}
          wrong={t().common.enterNumber}
          hint={t().animalForm.categoryHint}
          onInput={({ currentTarget }) => {
            isTyping.value = true;
            onInput(currentTarget.value);
          }}
        />
      )}
    </>
  );
}

/** The first choice of a form: the first category with a name, or number 1. */
export function firstCategory(): string {
  return String(categories.value?.items[0]?.id ?? 1);
}
