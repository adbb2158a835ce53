// Follows the events of the store while the page is visible: one stream per tab. When it fails, the page works without.

import { computed, effect, signal, untracked } from "@preact/signals";
import { createClient, type Event, FeedResetError } from "../../../../client/src/client.ts";
import { addressOf } from "./addresses.ts";
import { hasSpareRequests } from "./rate-now.ts";
import { resumedKey, session, showRate } from "./session.ts";
import { until } from "./until.ts";

const TYPES = ["pet.*", "order.*", "category.*", "listing.*", "shelter.*"] as const;
/** How long a list waits for the stream. If it is read first, it may miss a change and is read again. */
const OPENING_MS = 300;

/** `following` also while the client connects again: it continues where the stream was lost. */
export const phase = signal<"off" | "opening" | "following">("off");

/**
 * When the stream was lost, once it could not be opened again at once; a new object after each further attempt. Undefined
 * while it is open or has never been.
 */
export const loss = signal<{ sinceMs: number } | undefined>(undefined);
/** Failed attempts in a row. The first one may only be a restart of the service. */
const FAILURES_MIN = 2;

/** Gets undefined when the feed has begun anew: then everything may have changed. */
type Listener = (event: Event | undefined) => void;
const listeners = new Set<Listener>();
/**
 * The stream opens while a stored key is checked, because the first list waits for it. This one request is sent even when
 * few are left, which is not known yet.
 */
const apiKey = computed(() => session.value?.apiKey ?? resumedKey.value);
export const isVisible = signal(document.visibilityState === "visible");
/** Kept while the page is hidden, so that it continues there. */
let cursor: string | undefined;
let openUntilMs: number | undefined;
let failures = 0;

export function onEvent(listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** The animal that an event is about; undefined for an event of a category or a shelter. */
export function petIdOf(event: Event): string | undefined {
  switch (event.type) {
    case "pet.created":
    case "pet.updated":
    case "pet.deleted":
      return String(event.data.pet.id);
    case "order.created":
    case "order.updated":
      return String(event.data.order.petId);
    case "listing.updated":
      return String(event.data.listing.id);
    default:
      return undefined;
  }
}

/** Resolves when a list that is read from now on misses no change, or after a short time. */
export function whenOpened(): Promise<void> {
  return until(() => phase.value !== "opening", AbortSignal.timeout(OPENING_MS));
}

document.addEventListener("visibilitychange", () => {
  isVisible.value = document.visibilityState === "visible";
});

effect(() => {
  if (session.value !== undefined) return;
  cursor = undefined;
  openUntilMs = undefined;
});

effect(() => {
  const key = apiKey.value;
  if (key === undefined || !isVisible.value) return undefined;
  const ending = new AbortController();
  untracked(() => void follow(key, ending.signal));
  return () => {
    ending.abort();
    phase.value = "off";
    loss.value = undefined;
    failures = 0;
  };
});

/**
 * Never rejects. A failure that a retry cannot help ends it until the page is hidden and shown again. It does not sign
 * out after a 401: the secret of a rotated key may be on its way.
 */
async function follow(key: string, signal: AbortSignal): Promise<void> {
  if (hasSpareRequests()) phase.value = "opening";
  await until(hasSpareRequests, signal);
  // Not the client of the session: it waits for limits and shows the wait.
  const client = createClient({
    baseUrl: addressOf("v1"),
    apiKey: key,
    async fetch(url, init) {
      const response = await fetch(url, init).catch((error) => {
        if (!signal.aborted) noteFailure();
        throw error;
      });
      if (!signal.aborted) {
        if (response.ok) noteOpened();
        else if (response.status >= 500) noteFailure();
      }
      // The client reads the headers when it has the response.
      setTimeout(() => signal.aborted || showRate(client.rate));
      return response.ok ? hear(response, signal) : response;
    },
  });
  while (!signal.aborted) {
    const start = cursor;
    const feed = client.events({ after: start ?? "now", types: TYPES, signal });
    try {
      for await (const event of feed) {
        cursor = feed.cursor;
        broadcast(event);
      }
    } catch (error) {
      if (signal.aborted) {
        if (session.value !== undefined) cursor = feed.cursor;
        return;
      }
      phase.value = "off";
      if (!(error instanceof FeedResetError) || start === undefined) return;
      cursor = undefined;
      broadcast(undefined);
    }
  }
}

/** Notes when the stream was last heard: the service sends something every few seconds, but not to a computer that sleeps. */
function hear({ body, status, headers }: Response, signal: AbortSignal): Response {
  const heard = new TransformStream({
    transform(chunk, controller) {
      if (!signal.aborted) openUntilMs = Date.now();
      controller.enqueue(chunk);
    },
  });
  return new Response(body?.pipeThrough(heard), { status, headers });
}

function noteOpened(): void {
  failures = 0;
  openUntilMs = Date.now();
  loss.value = undefined;
  phase.value = "following";
}

function noteFailure(): void {
  failures += 1;
  if (failures >= FAILURES_MIN && openUntilMs !== undefined) loss.value = { sinceMs: openUntilMs };
}

function broadcast(event: Event | undefined): void {
  for (const listener of listeners) listener(event);
}
