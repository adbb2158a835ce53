// The category of an animal in a form: one with a name, or the number of one without.

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { Choice, Field } from "../shared/parts/field.tsx";
import { categories, ensureCategories } from "../shared/state/category-names.ts";
import { t } from "../shared/texts/language.ts";

const OTHER = "other";

interface CategoryFieldsProps {
  /** The number as a text; empty while nothing is chosen. */
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
  const isOther = isTyping.value || (!isNamed && value !== "");
  const offered: typeof named = [...named, [OTHER, t().animalForm.otherCategory]];
  if (value === "" && !isOther) offered.unshift(["", t().animalForm.chooseCategory]);
  return (
    <>
      {named.length > 0 && (
        <Choice
          label={t().common.category}
          choices={offered}
          value={isOther ? OTHER : value}
          required
          missing={t().animalForm.chooseCategory}
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

/** For a new animal: the only category, or number 1 where none has a name. Among several, people choose. */
export function suggestedCategory(): string {
  const [first, second] = categories.value?.items ?? [];
  return second === undefined ? String(first?.id ?? 1) : "";
}
