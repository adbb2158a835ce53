// Who is signed in: the key, kept for this tab alone, what it may do, and every call in its name.

import { signal } from "@preact/signals";
import {
  type Access,
  AccessError,
  AuthenticationError,
  type Client,
  createClient,
  OPERATIONS,
  type Plan,
  type RateState,
  type Usage,
  VALUES,
} from "../../../client/src/client.ts";
import { addressOf } from "./addresses.ts";
import { explain } from "./failures.ts";
import { findKeptKey, keepKey } from "./kept-key.ts";
import { flushNotices, notify } from "./notices.ts";
import { sleep, stopWaiting } from "./waiting.ts";

/** A day: the longest that any limit can ask for. */
const WAIT_MAX_MS = 86_400_000;

interface Session {
  client: Client;
  access: Access;
  plan: Plan;
  apiKey: string;
}

export const session = signal<Session | undefined>(undefined);
/** True until it is known whether the key of before a reload still works. */
export const isResuming = signal(false);
export const rate = signal<RateState | undefined>(undefined);

function connect(apiKey: string): Client {
  const client: Client = createClient({
    baseUrl: addressOf("v1"),
    apiKey,
    maxRetryWaitMs: WAIT_MAX_MS,
    waitsOutLimits: true,
    runtime: {
      sleep(ms, aborted, failure) {
        // What has asked for the wait is told at once, not when the call is over.
        showRate(client.rate);
        return sleep(ms, aborted, failure);
      },
    },
    // A deletion that is on its way arrives even when the tab is closed meanwhile.
    fetch: (url, init) => fetch(url, { ...init, keepalive: init.method === "DELETE" }),
  });
  return client;
}

/** Rejects when the service does not take the key, or cannot be reached. */
export async function signIn(apiKey: string, signal?: AbortSignal): Promise<void> {
  const client = connect(apiKey);
  const { access, plan } = await client.getUsage({ signal });
  rate.value = client.rate;
  keepKey(apiKey);
  flushNotices();
  session.value = { client, access, plan, apiKey };
}

/** Goes on with a new secret of the same key, without a request that could fail. */
export function changeSecret(apiKey: string): void {
  if (session.value === undefined) return;
  keepKey(apiKey);
  session.value = { ...session.value, client: connect(apiKey), apiKey };
}

export function signOut(word?: string): void {
  flushNotices();
  stopWaiting();
  keepKey(undefined);
  session.value = undefined;
  rate.value = undefined;
  if (word !== undefined) notify(word, { isFailure: true });
}

export async function resumeSession(): Promise<void> {
  const apiKey = findKeptKey();
  if (apiKey === undefined) return;
  isResuming.value = true;
  try {
    await signIn(apiKey);
  } catch (error) {
    if (error instanceof AuthenticationError)
      signOut("This key does not work any more. Sign in with another.");
    else notify(explain(error), { isFailure: true });
  } finally {
    isResuming.value = false;
  }
}

/** Every call goes through here: it keeps the rate on show, and notices when the key has ended or may do less. */
export async function ask<T>(work: (client: Client) => Promise<T>): Promise<T> {
  const current = session.value;
  if (current === undefined) throw new Error("You are signed out.");
  try {
    return await work(current.client);
  } catch (error) {
    const isCurrent = session.value?.client === current.client;
    if (error instanceof AuthenticationError && isCurrent)
      signOut("This key does not work any more. Sign in with another.");
    if (error instanceof AccessError && isCurrent) void askUsage().catch(() => {});
    throw error;
  } finally {
    if (session.value?.client === current.client) showRate(current.client.rate);
  }
}

/** What is left to the key; what it may do is offered by this answer from then on. */
export async function askUsage(signal?: AbortSignal): Promise<Usage> {
  const asking = session.value?.client;
  const usage = await ask((client) => client.getUsage({ signal }));
  const { access, plan } = usage;
  const current = session.value;
  if (current !== undefined && current.client === asking && current.access !== access) {
    session.value = { ...current, access, plan };
    notify(`The access of this key was changed to “${access}”.`);
  }
  return usage;
}

/** Of answers that overtake each other, the one with less left is the later one. */
function showRate(fresh: RateState | undefined): void {
  const shown = rate.value;
  const isSameWindow = shown?.limit === fresh?.limit && shown?.resetAt.getTime() === fresh?.resetAt.getTime();
  if (shown && fresh && isSameWindow && shown.remaining < fresh.remaining) return;
  rate.value = fresh;
}

/** What the key may not do is not offered. */
export function may(operation: keyof typeof OPERATIONS): boolean {
  return hasAccess(OPERATIONS[operation].access);
}

export function hasAccess(needed: Access): boolean {
  const held = session.value?.access;
  return held !== undefined && VALUES.Access.indexOf(held) >= VALUES.Access.indexOf(needed);
}

/** Whether the signed-in key is the one with this recognisable beginning. */
export function isOwnKey(hint: string): boolean {
  return hint !== "" && (session.value?.apiKey.startsWith(hint) ?? false);
}
