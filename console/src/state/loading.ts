// What a view reads from the service: the data, or why there is none, and a way to read it again.

import { type Signal, useSignal } from "@preact/signals";
import { useCallback, useEffect, useRef } from "preact/hooks";
import { explain } from "./failures.ts";
import { waitEndMs } from "./waiting.ts";

export interface Loaded<T> {
  /** The last that was read; it stays while newer is on its way. */
  data: Signal<T | undefined>;
  failure: Signal<string | undefined>;
  isLoading: Signal<boolean>;
  reload: () => Promise<void>;
}

/** Reads at once, and again when one of `inputs` changes; of two answers the one asked for last counts. */
export function useLoaded<T>(read: () => Promise<T>, inputs: readonly unknown[]): Loaded<T> {
  const data = useSignal<T | undefined>(undefined);
  const failure = useSignal<string | undefined>(undefined);
  const isLoading = useSignal(true);
  const newest = useRef(0);

  const reload = useCallback(async () => {
    newest.current += 1;
    const turn = newest.current;
    isLoading.value = true;
    try {
      const fresh = await read();
      if (turn !== newest.current) return;
      data.value = fresh;
      failure.value = undefined;
    } catch (error) {
      if (turn === newest.current) failure.value = explain(error);
    } finally {
      if (turn === newest.current) isLoading.value = false;
    }
  }, inputs);

  useEffect(() => void reload(), [reload]);
  return { data, failure, isLoading, reload };
}

/** Calls again and again while the page is looked at, and not while the service has asked to wait. */
export function useRepeated(work: () => void, everyMs: number): void {
  const latest = useRef(work);
  latest.current = work;
  useEffect(() => {
    const timer = setInterval(() => {
      if (document.visibilityState === "visible" && waitEndMs.value === undefined) latest.current();
    }, everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
}
