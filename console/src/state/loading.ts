// What a view reads from the service: the data, or why there is none, and a way to read it again.

import { type Signal, useSignal } from "@preact/signals";
import { useCallback, useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { explain } from "./failures.ts";
import { lastWait } from "./waiting.ts";

export interface Loaded<T> {
  /** The last that was read; it stays while newer is on its way. */
  data: Signal<T | undefined>;
  failure: Signal<string | undefined>;
  isLoading: Signal<boolean>;
  /** Reads what the view shows now, whenever it was taken from it; nothing once the view is gone. */
  reload: () => Promise<void>;
}

/**
 * Reads at once, and again when one of `inputs` changes. Of two reads the one that began last counts; the signal ends
 * the other, and any that outlives the view.
 */
export function useLoaded<T>(
  read: (signal: AbortSignal) => Promise<T>,
  inputs: readonly unknown[],
): Loaded<T> {
  const data = useSignal<T | undefined>(undefined);
  const failure = useSignal<string | undefined>(undefined);
  const isLoading = useSignal(true);
  const latest = useRef(read);
  latest.current = read;
  const running = useRef<AbortController | undefined>(undefined);
  const isGone = useRef(false);

  const reload = useCallback(async () => {
    if (isGone.current) return;
    running.current?.abort();
    const turn = new AbortController();
    running.current = turn;
    isLoading.value = true;
    try {
      const fresh = await latest.current(turn.signal);
      if (turn.signal.aborted) return;
      data.value = fresh;
      failure.value = undefined;
    } catch (error) {
      if (!turn.signal.aborted) failure.value = explain(error);
    } finally {
      if (!turn.signal.aborted) isLoading.value = false;
    }
  }, []);

  // Before anybody can press a button that belongs to what is shown no more.
  useLayoutEffect(() => void reload(), inputs);
  useEffect(
    () => () => {
      isGone.current = true;
      running.current?.abort();
    },
    [],
  );
  return { data, failure, isLoading, reload };
}

/** Calls again and again while the page is looked at, and not while the service has asked to wait. */
export function useRepeated(work: () => void, everyMs: number): void {
  const latest = useRef(work);
  latest.current = work;
  useEffect(() => {
    const timer = setInterval(() => {
      if (document.visibilityState === "visible" && lastWait.value === undefined) latest.current();
    }, everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
}
