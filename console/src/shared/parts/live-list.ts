// Loads a list and keeps it up to date: after changes it is read again in the background, and the focus stays.

import { useSignal, useSignalEffect } from "@preact/signals";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Event } from "../../../../client/src/client.ts";
import { loss, onEvent, phase, whenOpened } from "../state/live.ts";
import { type Loaded, type Read, useLoaded } from "../state/loading.ts";
import { hasSpareRequests } from "../state/rate-now.ts";
import { createRefresher, type Refresher } from "../state/refresher.ts";
import { lastWait } from "../state/waiting.ts";
import { rememberFocus } from "./focus.ts";
import { isListInUse } from "./in-use.ts";

interface LiveOptions {
  /** The first parts of the event types that change the list, such as `pet`. */
  kinds: readonly string[];
  /** False for an event that changes nothing here, although its kind could. */
  isRelevant?: (event: Event) => boolean;
  /** Postpones the updates, in addition to `isListInUse`. */
  isHeld?: () => boolean;
}

export interface LiveList<T> extends Loaded<T> {
  /**
   * While the work runs, what the service says is not shown: the page may show a change before it is made. Afterwards
   * the list is read again.
   */
  hold: <R>(work: () => Promise<R>) => Promise<R>;
}

/** As `useLoaded`. `kinds` must not change. */
export function useLiveList<T>(
  read: Read<T>,
  inputs: readonly unknown[],
  { kinds, isRelevant = () => true, isHeld = () => false }: LiveOptions,
): LiveList<T> {
  /** False if a change between the last read and the start of the stream was missed. */
  const isComplete = useRef(true);
  const confirmedMs = useSignal<number | undefined>(undefined);
  const focus = useKeptFocus();
  const isHeldNow = useRef(isHeld);
  isHeldNow.current = isHeld;
  const holds = useRef(0);

  const mayShow = () => holds.current === 0 && !isHeldNow.current() && !isListInUse();
  const mayRead = () => mayShow() && lastWait.peek() === undefined && hasSpareRequests();
  const loaded = useLoaded(
    async (signal, retries) => {
      await whenOpened();
      refresher.markFresh();
      isComplete.current = phase.peek() === "following";
      focus.remember();
      const data = await read(signal, retries);
      if (document.activeElement !== document.body) focus.remember();
      return data;
    },
    inputs,
    { mayRead, mayShow },
  );
  const [refresher] = useState(() =>
    createRefresher(
      () => loaded.refresh(mayShow, loss.peek() !== undefined),
      () => mayRead() && !loaded.isLoading.peek(),
    ),
  );
  useRefreshAfterEvents(refresher, { kinds, isRelevant });
  useSignalEffect(() => {
    if (phase.value === "following" && !isComplete.current) refresher.markStale();
  });
  // A read shows whether this is an outage. If it is not, the list is read after every attempt to open the stream.
  useSignalEffect(() => {
    if (loss.value === undefined) return;
    if (isComplete.current && !refresher.isStale()) confirmedMs.value = loss.value.sinceMs;
    refresher.markStale();
  });
  useLayoutEffect(focus.restore, [loaded.data.value]);

  async function hold<R>(work: () => Promise<R>): Promise<R> {
    holds.current += 1;
    try {
      return await work();
    } finally {
      holds.current -= 1;
      const isLast = () => holds.current === 0;
      // A load that runs may have read what was before the work. Live events would bring it later.
      if (!loaded.isLoading.peek()) loaded.refresh(isLast).catch(() => {});
      else if (isLast()) void loaded.reload();
    }
  }

  return { ...loaded, confirmedMs, hold };
}

function useRefreshAfterEvents(
  refresher: Refresher,
  { kinds, isRelevant }: Required<Pick<LiveOptions, "kinds" | "isRelevant">>,
): void {
  const relevant = useRef(isRelevant);
  relevant.current = isRelevant;
  // A layout effect runs before the first read starts: a change during it must not be missed.
  useLayoutEffect(() => {
    const ignore = onEvent((event) => {
      const kind = event?.type.split(".")[0];
      if (event === undefined || kind === undefined) refresher.markStale();
      else if (kinds.includes(kind) && relevant.current(event)) refresher.markStale();
    });
    return () => {
      ignore();
      refresher.stop();
    };
  }, []);
}

function useKeptFocus() {
  const restore = useRef<(() => void) | undefined>(undefined);
  return {
    remember(): void {
      restore.current = rememberFocus();
    },
    restore(): void {
      restore.current?.();
      restore.current = undefined;
    },
  };
}
