// Loads the data of a view: the data, the failure, and a function to load again.

import { type Signal, useSignal } from "@preact/signals";
import { useCallback, useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { Change } from "./changes.ts";
import { explain, isPassing } from "./failures.ts";
import { lastWait } from "./waiting.ts";

/** Between attempts during an outage. */
const RETRY_MS = 5_000;

export interface Loaded<T> {
  data: Signal<T | undefined>;
  asOfMs: Signal<number | undefined>;
  /** A later time until which no change of the data was missed. */
  confirmedMs?: Signal<number | undefined>;
  /** True while the data was loaded for other inputs than the current ones, for example for another filter. */
  isForOthers: Signal<boolean>;
  failure: Signal<string | undefined>;
  isLoading: Signal<boolean>;
  /** Always loads with the current inputs, also when an earlier render returned it. Does nothing after unmount. */
  reload: () => Promise<void>;
  /**
   * Loads in the background: nothing shows that it runs, and what is shown stays when it fails. Rejects with the failure,
   * which is shown once two in a row have failed, or at once if `isOutage`.
   * Resolves to false if the result was dropped because `mayShow` was false then. Does nothing while another load runs.
   */
  refresh: (mayShow: () => boolean, isOutage?: boolean) => Promise<boolean>;
}

/** `retries` is 0 in the background, so that no wait is shown that the user has not caused. */
export type Read<T> = (signal: AbortSignal, retries: number | undefined) => Promise<T>;

/** When the view may be read and changed without the user asking for it. */
interface Background {
  mayRead: () => boolean;
  mayShow: () => boolean;
}

const ALWAYS: Background = { mayRead: () => true, mayShow: () => true };

/**
 * Loads at once, and again when one of `inputs` changes. The signal is aborted when a newer load starts and when the
 * view is unmounted.
 */
export function useLoaded<T>(
  read: Read<T>,
  inputs: readonly unknown[],
  { mayRead, mayShow }: Background = ALWAYS,
): Loaded<T> {
  const data = useSignal<T | undefined>(undefined);
  const failure = useSignal<string | undefined>(undefined);
  const isLoading = useSignal(true);
  const asOfMs = useSignal<number | undefined>(undefined);
  const isForOthers = useSignal(false);
  const latest = useRef(read);
  latest.current = read;
  const running = useRef<AbortController | undefined>(undefined);
  const isUnmounted = useRef(false);

  /** Failed background loads in a row. */
  const failed = useRef(0);
  const retry = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);

  function show(fresh: T, startMs: number): void {
    data.value = fresh;
    asOfMs.value = startMs;
    isForOthers.value = false;
    failure.value = undefined;
  }

  function fail(error: unknown): void {
    failure.value = explain(error);
    if (isPassing(error)) retryLater();
  }

  /** In the background, until it succeeds: an outage ends without anyone pressing a button. */
  function retryLater(): void {
    clearTimeout(retry.current);
    retry.current = setTimeout(() => {
      if (failure.peek() === undefined || isLoading.peek()) return;
      if (document.visibilityState === "hidden" || !mayRead()) return retryLater();
      // A failure is shown, and followed by the next attempt.
      refresh(mayShow, true).then(
        (isDone) => isDone || retryLater(),
        () => {},
      );
    }, RETRY_MS);
  }

  const reload = useCallback(async () => {
    if (isUnmounted.current) return;
    running.current?.abort();
    const load = new AbortController();
    running.current = load;
    isLoading.value = true;
    try {
      const startMs = Date.now();
      const fresh = await latest.current(load.signal, undefined);
      if (load.signal.aborted) return;
      show(fresh, startMs);
    } catch (error) {
      if (load.signal.aborted) return;
      fail(error);
    } finally {
      if (!load.signal.aborted) isLoading.value = false;
    }
  }, []);

  const refresh = useCallback(async (mayShow: () => boolean, isOutage = false) => {
    if (isUnmounted.current || isLoading.value) return true;
    running.current?.abort();
    const load = new AbortController();
    running.current = load;
    try {
      const startMs = Date.now();
      const fresh = await latest.current(load.signal, 0);
      if (load.signal.aborted) return true;
      failed.current = 0;
      if (!mayShow()) return false;
      show(fresh, startMs);
    } catch (error) {
      if (load.signal.aborted) return true;
      failed.current += 1;
      if (failed.current > 1 || isOutage) fail(error);
      throw error;
    }
    return true;
  }, []);

  const before = useRef(inputs);
  // A layout effect runs before the next click, which could otherwise hit a button of the old data.
  useLayoutEffect(() => {
    const isOther = (input: unknown, index: number) =>
      input !== before.current[index] && !(input instanceof Change);
    if (inputs.some(isOther)) isForOthers.value = data.peek() !== undefined;
    before.current = inputs;
    void reload();
  }, inputs);
  useEffect(
    () => () => {
      isUnmounted.current = true;
      running.current?.abort();
      clearTimeout(retry.current);
    },
    [],
  );
  return { data, asOfMs, isForOthers, failure, isLoading, reload, refresh };
}

/** Calls `work` periodically while the page is visible and no rate limit is waited for. */
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
