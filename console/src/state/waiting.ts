// Waits that the service has asked for: shown as a countdown with their reason, and cut short on demand.

import { signal } from "@preact/signals";
import { type AnimalStoreError, OPERATIONS } from "../../../client/src/client.ts";
import { nowMs } from "./now.ts";

/** Shorter pauses, between attempts to reach the service, are not worth a word. */
const SHOWN_FROM_MS = 1_000;

const REASONS: Record<string, string> = {
  rate_limit_exceeded: "The limit of this key is reached.",
  daily_limit_exceeded: "This key has used up its requests of this day.",
  key_banned: "This key is banned for a while: it went on asking after its limit was reached.",
};

interface Wait {
  endMs: number;
  /** For people. */
  reason: string;
  /** Whether what is tried again may have been done already. */
  mayBeDone: boolean;
  end: () => void;
  stop: () => void;
}

/** Of all waits the one that ends last; undefined while nothing waits. */
export const lastWait = signal<Wait | undefined>(undefined);
const waits = new Set<Wait>();

/** The client's own way to wait between two attempts. */
export function sleep(
  ms: number,
  aborted: AbortSignal | undefined,
  failure: AnimalStoreError,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const settle = (how: () => void) => {
      clearTimeout(timer);
      aborted?.removeEventListener("abort", giveUp);
      waits.delete(wait);
      showLast();
      how();
    };
    const giveUp = () => settle(() => reject(aborted?.reason));
    const wait: Wait = {
      endMs: Date.now() + ms,
      reason: reasonOf(failure),
      mayBeDone: mayBeDone(failure),
      end: () => settle(resolve),
      stop: () => settle(() => reject(new Error(`Stopped waiting. ${wordsOf(failure)}`))),
    };
    const timer = setTimeout(wait.end, ms);
    if (ms >= SHOWN_FROM_MS) waits.add(wait);
    showLast();
    if (aborted?.aborted) giveUp();
    else aborted?.addEventListener("abort", giveUp);
  });
}

export function stopWaiting(): void {
  for (const wait of [...waits]) wait.stop();
}

// The timer of a computer that was asleep is late by as long as it slept.
nowMs.subscribe((now) => {
  for (const wait of [...waits]) if (wait.endMs <= now) wait.end();
});

function showLast(): void {
  lastWait.value = [...waits].sort((a, b) => a.endMs - b.endMs).at(-1);
}

function reasonOf({ status, code, operation }: AnimalStoreError): string {
  if (status !== 429) return "The service cannot do this at the moment.";
  // It costs no key anything, so it is the address that has asked too often, with keys that are none.
  if (operation === "getUsage") return "Too many attempts to sign in came from your network.";
  return REASONS[code] ?? "The service has asked to wait.";
}

function mayBeDone({ status, operation }: AnimalStoreError): boolean {
  const isRead = OPERATIONS[operation as keyof typeof OPERATIONS]?.method === "GET";
  return !isRead && status !== 429;
}

function wordsOf(failure: AnimalStoreError): string {
  if (!mayBeDone(failure)) return "This step was not done.";
  return "This step may have been done all the same: look before you try again.";
}
