// A search field for a list. The search starts shortly after the last key, with Enter at once.

import { signal, useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { TYPING_MS } from "../state/typing-pause.ts";

/** While another text was typed than the one that the list was searched for. */
export const isSearchPending = signal(false);

interface SearchBoxProps {
  label: string;
  value: string;
  maxLength?: number;
  onSearch: (text: string) => void;
}

export function SearchBox({ label, value, maxLength, onSearch }: SearchBoxProps) {
  const text = useSignal(value);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);

  useEffect(() => {
    return () => {
      clearTimeout(timer.current);
      isSearchPending.value = false;
    };
  }, []);
  // The address has changed: by this search, by the buttons of the browser, or by a link.
  useEffect(() => {
    if (timer.current === undefined && text.peek().trim() !== value) text.value = value;
  }, [value]);

  function search(): void {
    clearTimeout(timer.current);
    timer.current = undefined;
    isSearchPending.value = false;
    const wanted = text.peek().trim();
    if (wanted !== value) onSearch(wanted);
  }

  function type(typed: string): void {
    text.value = typed;
    isSearchPending.value = typed.trim() !== value;
    clearTimeout(timer.current);
    timer.current = setTimeout(() => latest.current(), TYPING_MS);
  }
  const latest = useRef(search);
  latest.current = search;

  function press(event: KeyboardEvent): void {
    if (event.key === "Enter") search();
    if (event.key !== "Escape" || text.value === "") return;
    event.preventDefault();
    text.value = "";
    search();
  }

  return (
    <input
      type="search"
      aria-label={label}
      placeholder={label}
      maxLength={maxLength}
      autocomplete="off"
      spellcheck={false}
      value={text.value}
      onInput={({ currentTarget }) => type(currentTarget.value)}
      onKeyDown={press}
    />
  );
}
