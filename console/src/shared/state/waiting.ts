// Waits between attempts: shown as a countdown with their reason, and stopped on demand.

import { signal } from "@preact/signals";
import { type AnimalStoreError, OPERATIONS } from "../../../../client/src/client.ts";
import { t } from "../texts/language.ts";
import { nowMs } from "./now.ts";

/** Shorter waits are not shown. */
const SHOWN_FROM_MS = 1_000;

const REASONS: Record<string, "limit" | "dailyLimit" | "ban"> = {
  rate_limit_exceeded: "limit",
  daily_limit_exceeded: "dailyLimit",
  key_banned: "ban",
};

interface Wait {
  endMs: number;
  /** Called when it is shown: a wait may begin before the texts of the language are there. */
  reason: () => string;
  /** Whether the request may have been carried out already. */
  mayBeDone: boolean;
  end: () => void;
  stop: () => void;
}

/** The wait that ends last; undefined while no call waits. */
export const lastWait = signal<Wait | undefined>(undefined);
const waits = new Set<Wait>();

/** Replaces the wait of the client between two attempts. */
export function sleep(
  ms: number,
  aborted: AbortSignal | undefined,
  failure: AnimalStoreError,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const finish = (how: () => void) => {
      clearTimeout(timer);
      aborted?.removeEventListener("abort", giveUp);
      waits.delete(wait);
      showLast();
      how();
    };
    const giveUp = () => finish(() => reject(aborted?.reason));
    const wait: Wait = {
      endMs: Date.now() + ms,
      reason: () => reasonOf(failure),
      mayBeDone: mayBeDone(failure),
      end: () => finish(resolve),
      stop: () => finish(() => reject(new Error(describeOutcome(failure)))),
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

// Timers stop while the computer sleeps.
nowMs.subscribe((now) => {
  for (const wait of [...waits]) if (wait.endMs <= now) wait.end();
});

function showLast(): void {
  lastWait.value = [...waits].sort((a, b) => a.endMs - b.endMs).at(-1);
}

function reasonOf({ status, code, operation }: AnimalStoreError): string {
  if (status !== 429) return t().waiting.unavailable;
  // getUsage is not charged to the key, so this is the limit of the network address for unknown keys.
  if (operation === "getUsage") return t().waiting.signIns;
  return t().waiting[REASONS[code] ?? "asked"];
}

function mayBeDone({ status, operation }: AnimalStoreError): boolean {
  const isRead = OPERATIONS[operation as keyof typeof OPERATIONS]?.method === "GET";
  return !isRead && status !== 429;
}

function describeOutcome(failure: AnimalStoreError): string {
  return mayBeDone(failure) ? t().waiting.stoppedMaybeDone : t().waiting.stoppedNotDone;
}
