// The options of a client and of a single call, with their defaults.

import type { AnimalStoreError } from "./errors.ts";

/**
 * The options of `createClient`.
 *
 * @example
 * const options: ClientOptions = {
 *   baseUrl: "https://animals.example.org",
 *   apiKey: "ask_live_YOUR_KEY",
 *   timeoutMs: 5_000,
 *   waitsOutLimits: true,
 * };
 * const patient = createClient(options);
 */
export interface ClientOptions {
  /** The service, with or without `/v1`: `https://animals.example.org`. On a web page, a path of the same host is enough. */
  baseUrl: string;
  apiKey: string;
  /** Limits one attempt, including the response body. Default: 10 seconds. */
  timeoutMs?: number | undefined;
  /** Attempts after the first. Default: 3. */
  retries?: number | undefined;
  /** If `Retry-After` is longer, the error is thrown at once. Default: 60 seconds. */
  maxRetryWaitMs?: number | undefined;
  /**
   * If true, a 429 with `Retry-After` does not count as a retry: the client waits any number of times. It also waits for
   * the end of a ban that is longer than `maxRetryWaitMs`; a ban lasts an hour at most. Default: false.
   */
  waitsOutLimits?: boolean | undefined;
  /** Called once for each deprecated operation that is used. Default: `console.warn`. */
  onWarning?: ((message: string) => void) | undefined;
  fetch?: Fetch | undefined;
  /** Waits, random numbers and time, for tests. */
  runtime?: Partial<Runtime> | undefined;
}

/**
 * A function that is called instead of the global `fetch`.
 *
 * @example
 * const logged: Fetch = (url, init) => {
 *   console.log(init.method, url);
 *   return fetch(url, init);
 * };
 * const client = createClient({ baseUrl: "https://animals.example.org", apiKey: "ask_live_YOUR_KEY", fetch: logged });
 */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/**
 * Waits, random numbers and time of a client. Replace them in your own tests.
 *
 * @example
 * const runtime: Partial<Runtime> = { sleep: async (ms) => console.log(`would wait ${ms} ms`) };
 * const client = createClient({ baseUrl: "https://animals.example.org", apiKey: "ask_live_YOUR_KEY", runtime });
 */
export interface Runtime {
  /** Rejects with the reason of the signal when it is aborted. `failure` is the reason for the wait. */
  sleep(ms: number, signal: AbortSignal | undefined, failure: AnimalStoreError): Promise<void>;
  /** At least 0 and less than 1. */
  random(): number;
  nowMs(): number;
}

/**
 * The options of a single call. They replace the options of the client.
 *
 * @example
 * const options: CallOptions = { signal: AbortSignal.timeout(30_000), timeoutMs: 2_000, retries: 5 };
 * const order = await client.getOrder(1, options);
 */
export interface CallOptions {
  /** Aborts the call and its waits between attempts; the call rejects with the reason of the signal. */
  signal?: AbortSignal | undefined;
  timeoutMs?: number | undefined;
  retries?: number | undefined;
}

/**
 * The options of a call that is sent as a POST.
 *
 * @example
 * const options: PostOptions = { idempotencyKey: "case-4711" };
 * const order = await client.createOrder({ petId: 1 }, options);
 */
export interface PostOptions extends CallOptions {
  /** 1 to 255 visible ASCII characters. Default: random for every call. */
  idempotencyKey?: string | undefined;
}

/**
 * The options of an import.
 *
 * @example
 * const options: ImportOptions = { onProgress: (rows) => console.log(`${rows} rows are done`) };
 * const report = await client.importAnimals(new Blob(["name,categoryId\\nRex,3"]), {}, options);
 */
export interface ImportOptions extends CallOptions {
  /** Called about every second while rows are written. The call then waits as long as the service sends the progress. */
  onProgress?: ((rows: number) => void) | undefined;
}

/**
 * The options of a call that changes or deletes an animal or an order.
 *
 * @example
 * const order = await client.getOrder(1);
 * const options: ChangeOptions = { ifMatch: etagOf(order) };
 * await client.updateOrder(1, { status: "approved" }, options);
 */
export interface ChangeOptions extends CallOptions {
  /** The change is made only while the current ETag is this one; otherwise the call rejects with a PreconditionFailedError. */
  ifMatch?: string | undefined;
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

/** Longer timers fire at once. */
const TIMER_MAX_MS = 2 ** 31 - 1;
const VISIBLE = /^[\x21-\x7e]+$/;

/** Throws a TypeError for options that cannot work. */
export function readOptions(options: ClientOptions): Settings {
  for (const name of ["baseUrl", "apiKey"] as const)
    if (options[name] === undefined) throw new TypeError(`${name} is missing`);
  // Checked here because the error message of fetch would show the key.
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
    // Called as a global: browsers require that, and tests may replace it.
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
  const url = parseUrl(text, location?.href);
  if (url?.protocol !== "http:" && url?.protocol !== "https:")
    throw new TypeError("baseUrl must begin with http:// or https://");
  const path = url.pathname.replace(/\/+$/, "");
  return `${url.origin}${path.endsWith("/v1") ? path : `${path}/v1`}`;
}

/** `URL.parse` is newer than Node 20. */
function parseUrl(text: string, base: string | undefined): URL | undefined {
  try {
    return new URL(text, base);
  } catch {
    return undefined;
  }
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
