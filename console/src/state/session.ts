// Who is signed in: the key, kept for this tab alone, what it may do, and every call in its name.

import { signal } from "@preact/signals";
import {
  type Access,
  AuthenticationError,
  type Client,
  createClient,
  OPERATIONS,
  type Plan,
  type RateState,
  VALUES,
} from "../../../client/src/client.ts";
import { addressOf } from "./addresses.ts";
import { flushNotices, notify } from "./notices.ts";
import { sleep, stopWaiting } from "./waiting.ts";

/** Session storage: gone with the tab, and never sent anywhere by itself. */
const STORED_AS = "animal-store-key";
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
    runtime: {
      sleep(ms, aborted) {
        // What has asked for the wait is told at once, not when the call is over.
        showRate(client.rate);
        return sleep(ms, aborted);
      },
    },
    // A deletion that is on its way arrives even when the tab is closed meanwhile.
    fetch: (url, init) => fetch(url, { ...init, keepalive: init.method === "DELETE" }),
  });
  return client;
}

/** Rejects when the service does not take the key, or cannot be reached. */
export async function signIn(apiKey: string): Promise<void> {
  const client = connect(apiKey);
  const { access, plan } = await client.getUsage();
  rate.value = client.rate;
  sessionStorage.setItem(STORED_AS, apiKey);
  session.value = { client, access, plan, apiKey };
}

/** Goes on with a new secret of the same key, without a request that could fail. */
export function changeSecret(apiKey: string): void {
  if (session.value === undefined) return;
  sessionStorage.setItem(STORED_AS, apiKey);
  session.value = { ...session.value, client: connect(apiKey), apiKey };
}

export function signOut(word?: string): void {
  flushNotices();
  stopWaiting();
  sessionStorage.removeItem(STORED_AS);
  session.value = undefined;
  rate.value = undefined;
  if (word !== undefined) notify(word, { isFailure: true });
}

export async function resumeSession(): Promise<void> {
  const apiKey = sessionStorage.getItem(STORED_AS);
  if (apiKey === null) return;
  isResuming.value = true;
  try {
    await signIn(apiKey);
  } catch (error) {
    if (error instanceof AuthenticationError)
      signOut("This key does not work any more. Sign in with another.");
    else notify(error instanceof Error ? error.message : String(error), { isFailure: true });
  } finally {
    isResuming.value = false;
  }
}

/** Every call goes through here: it keeps the rate on show, and signs out when the key has ended. */
export async function ask<T>(work: (client: Client) => Promise<T>): Promise<T> {
  const current = session.value;
  if (current === undefined) throw new Error("You are signed out.");
  try {
    return await work(current.client);
  } catch (error) {
    if (error instanceof AuthenticationError && session.value === current)
      signOut("This key does not work any more. Sign in with another.");
    throw error;
  } finally {
    if (session.value === current) showRate(current.client.rate);
  }
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
