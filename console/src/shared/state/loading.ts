// Loads the data of a view: the data, the failure, and a function to load again.

import { type Signal, signal } from "@preact/signals";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
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
  background: Background = ALWAYS,
): Loaded<T> {
  const latest = useRef(read);
  latest.current = read;
  const [loader] = useState(() =>
    createLoader((signal, retries) => latest.current(signal, retries), background),
  );
  const { data, isForOthers, reload } = loader;
  const before = useRef(inputs);
  // A layout effect runs before the next click, which could otherwise hit a button of the old data.
  useLayoutEffect(() => {
    const isOther = (input: unknown, index: number) =>
      input !== before.current[index] && !(input instanceof Change);
    if (inputs.some(isOther)) isForOthers.value = data.peek() !== undefined;
    before.current = inputs;
    void reload();
  }, inputs);
  useEffect(() => loader.stop, []);
  return loader;
}

function createLoader<T>(read: Read<T>, { mayRead, mayShow }: Background): Loaded<T> & { stop: () => void } {
  const data = signal<T | undefined>(undefined);
  const failure = signal<string | undefined>(undefined);
  const isLoading = signal(true);
  const asOfMs = signal<number | undefined>(undefined);
  const isForOthers = signal(false);
  const { load, abort } = createNewestLoad(read);
  let isStopped = false;
  /** Failed background loads in a row. */
  let failures = 0;
  const retry = createRetry({
    isNeeded: () => failure.peek() !== undefined && !isLoading.peek(),
    mayTry: mayRead,
    attempt: () => refresh(mayShow, true),
  });

  function show({ fresh, startMs }: { fresh: T; startMs: number }): void {
    data.value = fresh;
    asOfMs.value = startMs;
    isForOthers.value = false;
    failure.value = undefined;
  }

  function fail(error: unknown): void {
    failure.value = explain(error);
    if (isPassing(error)) retry.later();
  }

  async function reload(): Promise<void> {
    if (isStopped) return;
    isLoading.value = true;
    try {
      const loaded = await load();
      if (loaded === undefined) return;
      show(loaded);
    } catch (error) {
      fail(error);
    }
    isLoading.value = false;
  }

  async function refresh(mayShowNow: () => boolean, isOutage = false): Promise<boolean> {
    if (isStopped || isLoading.value) return true;
    try {
      const loaded = await load(0);
      if (loaded === undefined) return true;
      failures = 0;
      if (!mayShowNow()) return false;
      show(loaded);
      return true;
    } catch (error) {
      failures += 1;
      if (failures > 1 || isOutage) fail(error);
      throw error;
    }
  }

  function stop(): void {
    isStopped = true;
    abort();
    retry.stop();
  }

  return { data, asOfMs, isForOthers, failure, isLoading, reload, refresh, stop };
}

/** Each load aborts the one before. */
function createNewestLoad<T>(read: Read<T>) {
  let running: AbortController | undefined;

  /** Resolves to undefined if a newer load has started. */
  async function load(retries?: number): Promise<{ fresh: T; startMs: number } | undefined> {
    running?.abort();
    running = new AbortController();
    const { signal } = running;
    const startMs = Date.now();
    try {
      const fresh = await read(signal, retries);
      return signal.aborted ? undefined : { fresh, startMs };
    } catch (error) {
      if (signal.aborted) return undefined;
      throw error;
    }
  }

  return { load, abort: () => running?.abort() };
}

interface RetryOptions {
  isNeeded: () => boolean;
  mayTry: () => boolean;
  /** Resolves to false if its result was not shown. */
  attempt: () => Promise<boolean>;
}

/** Loads in the background until that succeeds: an outage ends without anyone pressing a button. */
function createRetry({ isNeeded, mayTry, attempt }: RetryOptions) {
  let timer: ReturnType<typeof setTimeout> | undefined;

  function later(): void {
    clearTimeout(timer);
    timer = setTimeout(() => {
      if (!isNeeded()) return;
      if (document.visibilityState === "hidden" || !mayTry()) return later();
      // A failure is shown, and followed by the next attempt.
      attempt().then(
        (isDone) => isDone || later(),
        () => {},
      );
    }, RETRY_MS);
  }

  return { later, stop: () => clearTimeout(timer) };
}

/** Loads again periodically while the page is visible, no load runs and no rate limit is waited for. */
export function useReloads(
  { isLoading, reload }: Loaded<unknown>,
  everyMs: number,
  isHeld = () => false,
): void {
  const latest = useRef(isHeld);
  latest.current = isHeld;
  useEffect(() => {
    const timer = setInterval(() => {
      const isBusy = isLoading.value || lastWait.value !== undefined || latest.current();
      if (document.visibilityState === "visible" && !isBusy) void reload();
    }, everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
}
