// What a client can be told, what a single call can be told, and the defaults.

import type { AnimalStoreError } from "./errors.ts";

export interface ClientOptions {
  /** Of the service, with or without its `/v1`: `https://animals.example.org/v1`. A page may give a path of its own host. */
  baseUrl: string;
  apiKey: string;
  /** For one attempt, answer included. 10 seconds unless told. */
  timeoutMs?: number | undefined;
  /** Attempts after the first. 3 unless told; 0 for none. */
  retries?: number | undefined;
  /** Where `Retry-After` asks for more, the error is thrown at once. 60 seconds unless told. */
  maxRetryWaitMs?: number | undefined;
  /**
   * Where true, a 429 with `Retry-After` does not count as a retry: it is waited for however often it comes. A ban is
   * waited out even where it lasts longer than `maxRetryWaitMs`: an hour at most.
   */
  waitsOutLimits?: boolean | undefined;
  /** Told once about each deprecated operation that is used. `console.warn` unless told. */
  onWarning?: ((message: string) => void) | undefined;
  fetch?: Fetch | undefined;
  /** Waiting, chance and time, for tests. */
  runtime?: Partial<Runtime> | undefined;
}

export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

export interface Runtime {
  /** Rejects with the signal's reason when that is aborted. `failure` is what the next attempt waits for. */
  sleep(ms: number, signal: AbortSignal | undefined, failure: AnimalStoreError): Promise<void>;
  /** From 0 up to 1. */
  random(): number;
  nowMs(): number;
}

export interface CallOptions {
  /** Ends the call, waits between attempts included, with the signal's reason. */
  signal?: AbortSignal | undefined;
  timeoutMs?: number | undefined;
  retries?: number | undefined;
}

export interface PostOptions extends CallOptions {
  /** 1 to 255 visible ASCII characters; made up for every call unless given. */
  idempotencyKey?: string | undefined;
}

export interface Settings extends Runtime {
  baseUrl: string;
  apiKey: string;
  timeoutMs: number;
  retries: number;
  maxRetryWaitMs: number;
  waitsOutLimits: boolean;
  onWarning: (message: string) => void;
  fetch: Fetch;
}

/** Timers of more milliseconds fire at once. */
const TIMER_MAX_MS = 2 ** 31 - 1;
const VISIBLE = /^[\x21-\x7e]+$/;

/** Throws a TypeError for options that cannot work. */
export function readOptions(options: ClientOptions): Settings {
  // Not left to fetch, whose message would show the key.
  if (typeof options.apiKey !== "string" || !VISIBLE.test(options.apiKey))
    throw new TypeError("apiKey must be visible ASCII characters");
  return {
    baseUrl: readBaseUrl(options.baseUrl),
    apiKey: options.apiKey,
    timeoutMs: requireMs(options.timeoutMs ?? 10_000, "timeoutMs"),
    retries: requireCount(options.retries ?? 3, "retries"),
    maxRetryWaitMs: requireMs(options.maxRetryWaitMs ?? 60_000, "maxRetryWaitMs"),
    waitsOutLimits: options.waitsOutLimits ?? false,
    // biome-ignore lint/suspicious/noConsole: the one place where every runtime shows a warning
    onWarning: options.onWarning ?? ((message) => console.warn(message)),
    // By its global name: a page's fetch wants to be called as that, and tests may replace it.
    fetch: options.fetch ?? ((url, init) => globalThis.fetch(url, init)),
    sleep,
    random: Math.random,
    nowMs: Date.now,
    ...options.runtime,
  };
}

export function requireMs(ms: number, name: string): number {
  if (ms > 0 && ms <= TIMER_MAX_MS) return ms;
  throw new TypeError(`${name} must be more than 0 and at most ${TIMER_MAX_MS}`);
}

export function requireCount(count: number, name: string): number {
  if (Number.isInteger(count) && count >= 0) return count;
  throw new TypeError(`${name} must be a whole number, 0 or more`);
}

function readBaseUrl(text: string): string {
  const { location } = globalThis as { location?: { href: string } };
  const { protocol, origin, pathname } = new URL(text, location?.href);
  if (protocol !== "http:" && protocol !== "https:")
    throw new TypeError("baseUrl must begin with http:// or https://");
  const path = pathname.replace(/\/+$/, "");
  return `${origin}${path.endsWith("/v1") ? path : `${path}/v1`}`;
}

function sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", end);
      resolve();
    }, ms);
    if (signal?.aborted) end();
    else signal?.addEventListener("abort", end, { once: true });
  });
}
