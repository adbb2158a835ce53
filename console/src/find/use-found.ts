// Searches while someone types: shortly after the last key, with Enter at once, and only for the newest text.

import { type Signal, useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { type Directory, readDirectory } from "../people/read-directory.ts";
import { explain } from "../shared/state/failures.ts";
import { hasSpareRequests } from "../shared/state/rate-now.ts";
import { TYPING_MS } from "../shared/state/typing-pause.ts";
import { type FoundByKind, readFound } from "./read-found.ts";

export function useFound(text: Signal<string>) {
  const wanted = text.value.trim();
  const found = useSignal<FoundByKind | undefined>(undefined);
  /** The text that `found` belongs to. */
  const foundFor = useSignal("");
  const failure = useSignal<string | undefined>(undefined);
  /** Few requests are left, so the user decides when to search. */
  const isSparing = useSignal(false);
  const directory = useRef<Directory | undefined>(undefined);
  const closing = useRef(new AbortController());
  const running = useRef<{ q: string; abort: () => void } | undefined>(undefined);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);

  function stop(): void {
    clearTimeout(timer.current);
    running.current?.abort();
    running.current = undefined;
  }

  useEffect(
    () => () => {
      stop();
      closing.current.abort();
    },
    [],
  );
  useEffect(() => {
    // Enter may come before this.
    if (running.current?.q === wanted) return;
    stop();
    failure.value = undefined;
    isSparing.value = wanted !== "" && !hasSpareRequests();
    if (wanted !== "" && !isSparing.value) timer.current = setTimeout(searchNow, TYPING_MS);
  }, [wanted]);

  /** For the text of this moment, which may be newer than the last render. */
  function searchNow(): void {
    const q = text.peek().trim();
    if (q === "" || running.current?.q === q) return;
    stop();
    const current = new AbortController();
    running.current = { q, abort: () => current.abort() };
    isSparing.value = false;
    void search(q, current.signal);
  }

  /** Never rejects. */
  async function search(q: string, signal: AbortSignal): Promise<void> {
    directory.current ??= readDirectory(closing.current.signal);
    const result = await readFound(q, directory.current, { signal });
    if (signal.aborted) return;
    running.current = undefined;
    found.value = result;
    foundFor.value = q;
    failure.value = result.failure === undefined ? undefined : explain(result.failure);
    if (result.failure !== undefined) directory.current = undefined;
  }

  return {
    found: wanted === "" ? undefined : found.value,
    isCurrent: foundFor.value === wanted,
    failure: failure.value,
    isSparing: isSparing.value && foundFor.value !== wanted,
    /** Whether what is shown was found for the text of this moment, without a failure. */
    isUsable: () => foundFor.peek() === text.peek().trim() && failure.peek() === undefined,
    searchNow,
  };
}
