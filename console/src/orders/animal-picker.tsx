// Finds an available animal by a few letters or its number: a field with a list of suggestions.

import { useSignal } from "@preact/signals";
import { useEffect, useId, useLayoutEffect, useRef } from "preact/hooks";
import type { Listing } from "../../../client/src/client.ts";
import { Thumbnail } from "../shared/parts/thumbnail.tsx";
import { readAnimals } from "../shared/state/animals-query.ts";
import { categoryName, ensureCategories } from "../shared/state/category-names.ts";
import { explain } from "../shared/state/failures.ts";
import { ownShelterId } from "../shared/state/own-shelter.ts";
import { TYPING_MS } from "../shared/state/typing-pause.ts";
import { t } from "../shared/texts/language.ts";

/** Only animals that can be ordered. */
const QUERY = {
  status: "available",
  categoryId: undefined,
  species: undefined,
  sort: "newest",
  limit: 8,
} as const;
/** Always the same, because an effect depends on it. */
const NONE: Listing[] = [];

export interface PickerProps {
  chosen: Listing | undefined;
  onChoose: (listing: Listing | undefined) => void;
}

export function AnimalPicker({ chosen, onChoose }: PickerProps) {
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const text = useSignal("");
  const { found, foundFor, failure } = useSuggestions(text.value);
  /** Whether the form was sent without an animal. */
  const isMissing = useSignal(false);
  const items = found.value ?? NONE;
  const { active, isOpen, press } = useCombobox(items, (listing) => {
    // Typed faster than the service answers: the first suggestion would be an animal that nobody meant.
    if (foundFor.value === text.value) choose(listing);
  });

  // A layout effect runs before the next key, which may send the form.
  useLayoutEffect(() => {
    // The browser shows it at the field when the form is sent.
    input.current?.setCustomValidity(chosen === undefined ? t().picker.choose : "");
  });

  function choose(listing: Listing): void {
    onChoose(listing);
    text.value = listing.name;
    isOpen.value = false;
    isMissing.value = false;
  }

  return (
    <div class="field picker">
      <label for={id}>{t().picker.label}</label>
      <input
        id={id}
        ref={input}
        type="text"
        role="combobox"
        dir="auto"
        autocomplete="off"
        spellcheck={false}
        placeholder={t().picker.placeholder}
        value={text.value}
        aria-expanded={isOpen.value}
        aria-controls={`${id}-list`}
        aria-activedescendant={isOpen.value && items.length > 0 ? `${id}-${active.value}` : undefined}
        aria-describedby={`${id}-state`}
        aria-invalid={isMissing.value || undefined}
        onInvalid={() => (isMissing.value = true)}
        onClick={() => (isOpen.value = true)}
        onBlur={() => (isOpen.value = false)}
        onKeyDown={press}
        onInput={({ currentTarget }) => {
          text.value = currentTarget.value;
          isOpen.value = true;
          onChoose(undefined);
        }}
      />
      <Suggestions id={id} items={items} active={active.value} isOpen={isOpen.value} onChoose={choose} />
      {isMissing.value && <small class="failure">{t().picker.choose}</small>}
      <small id={`${id}-state`} role="status" class={failure.value === undefined ? undefined : "failure"}>
        {failure.value ?? (found.value?.length === 0 ? t().picker.none : "")}
      </small>
    </div>
  );
}

interface SuggestionsProps {
  /** The field's id. */
  id: string;
  items: Listing[];
  active: number;
  isOpen: boolean;
  onChoose: (listing: Listing) => void;
}

function Suggestions({ id, items, active, isOpen, onChoose }: SuggestionsProps) {
  return (
    <div id={`${id}-list`} role="listbox" tabIndex={-1} aria-label={t().picker.label} hidden={!isOpen}>
      {items.map((listing, index) => (
        <div
          key={String(listing.id)}
          id={`${id}-${index}`}
          role="option"
          tabIndex={-1}
          aria-selected={index === active}
          // Before the field loses the focus, which closes the list.
          onPointerDown={(event) => {
            event.preventDefault();
            onChoose(listing);
          }}
        >
          <Thumbnail animal={listing} />
          <span>
            <bdi>{listing.name}</bdi> <small>{describe(listing)}</small>
          </span>
        </div>
      ))}
    </div>
  );
}

/** The keys of a field with suggestions: arrows move, Enter chooses, Escape closes. */
function useCombobox(items: Listing[], onEnter: (listing: Listing) => void) {
  /** The suggestion that Enter chooses. */
  const active = useSignal(0);
  const isOpen = useSignal(false);

  useLayoutEffect(() => {
    active.value = 0;
  }, [items]);

  function press(event: KeyboardEvent): void {
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    const chosen = items[active.value];
    if (step !== 0) {
      event.preventDefault();
      if (isOpen.value) active.value = (active.value + step + items.length) % Math.max(1, items.length);
      isOpen.value = true;
    } else if (event.key === "Enter" && isOpen.value && chosen !== undefined) {
      event.preventDefault();
      onEnter(chosen);
    } else if (event.key === "Escape" && isOpen.value) {
      // Closes the suggestions, not the dialog.
      event.preventDefault();
      event.stopPropagation();
      isOpen.value = false;
    }
  }

  return { active, isOpen, press };
}

/** Available animals for a text. `foundFor` is the text that the suggestions belong to. */
function useSuggestions(text: string) {
  const found = useSignal<Listing[] | undefined>(undefined);
  const foundFor = useSignal("");
  const failure = useSignal<string | undefined>(undefined);

  useEffect(() => {
    const ending = new AbortController();
    const timer = setTimeout(() => void search(ending.signal), text === "" ? 0 : TYPING_MS);
    return () => {
      clearTimeout(timer);
      ending.abort();
    };
  }, [text]);

  async function search(signal: AbortSignal): Promise<void> {
    try {
      const [page] = await Promise.all([
        readAnimals({ ...QUERY, shelterId: ownShelterId(), q: text.trim() }, undefined, { signal }),
        ensureCategories(),
      ]);
      if (signal.aborted) return;
      found.value = page.items;
      foundFor.value = text;
      failure.value = undefined;
    } catch (error) {
      if (!signal.aborted) failure.value = explain(error);
    }
  }

  return { found, foundFor, failure };
}

/** "Dogs, Labrador, no. 12": distinguishes animals with the same name. */
function describe({ id, categoryId, profile }: Listing): string {
  const parts = [categoryName(categoryId), ...(profile.breeds ?? []), t().common.numbered(String(id))];
  return parts.filter((part) => part !== undefined).join(", ");
}
