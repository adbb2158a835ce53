// The signed-in key, its access and plan, and all calls with it.

import { signal } from "@preact/signals";
import {
  type Access,
  AccessError,
  AuthenticationError,
  type Client,
  createClient,
  type Fetch,
  type Int64,
  OPERATIONS,
  type Plan,
  type RateState,
  type Usage,
  VALUES,
} from "../../../../client/src/client.ts";
import { DAY_MS } from "../../../../src/domain/basics/durations.ts";
import { t } from "../texts/language.ts";
import { addressOf } from "./addresses.ts";
import { readFirstSite } from "./brand.ts";
import { explain } from "./failures.ts";
import { flushNotices, notify } from "./notices.ts";
import { readFirstShelters } from "./shelter-list.ts";
import { findStoredKey, forgetKey, isKeyRemembered, storeKey } from "./stored-key.ts";
import { sleep, stopWaiting } from "./waiting.ts";

interface Session {
  client: Client;
  access: Access;
  plan: Plan;
  /** The only shelter whose animals the key may change; undefined for the whole network. */
  shelterId: Int64 | undefined;
  apiKey: string;
}

/** A key of one shelter may not change what all shelters share. */
const SHARED: ReadonlyArray<keyof typeof OPERATIONS> = ["putCategory", "deleteCategory"];

export const session = signal<Session | undefined>(undefined);
/** True after a reload until the stored key has been checked. */
export const isResuming = signal(false);
export const rate = signal<RateState | undefined>(undefined);

/** `send` replaces fetch. */
export function connect(apiKey: string, send: Fetch = sendByFetch): Client {
  const client: Client = createClient({
    baseUrl: addressOf("v1"),
    apiKey,
    // The longest wait of any limit.
    maxRetryWaitMs: DAY_MS,
    waitsOutLimits: true,
    runtime: {
      sleep(ms, aborted, failure) {
        // Shows the limit at the start of the wait, not at the end of the call.
        showRate(client.rate);
        return sleep(ms, aborted, failure);
      },
    },
    fetch: send,
  });
  return client;
}

/** keepalive: a deletion is sent even when the tab is closed. */
function sendByFetch(url: string, init: RequestInit): Promise<Response> {
  return fetch(url, { ...init, keepalive: init.method === "DELETE" });
}

interface SignInOptions {
  /** Keeps the key on the device instead of in the tab. */
  isRemembered: boolean;
  signal?: AbortSignal;
}

/** Rejects when the service rejects the key or cannot be reached. */
export async function signIn(apiKey: string, { isRemembered, signal }: SignInOptions): Promise<void> {
  const client = connect(apiKey);
  const { access, plan, shelterId } = await client.getUsage({ signal });
  await Promise.all([readFirstShelters(client, signal), readFirstSite(client, signal)]);
  rate.value = client.rate;
  // A key that was remembered before, and could not be used when the page was opened, must not stay.
  forgetKey();
  storeKey(apiKey, isRemembered);
  flushNotices();
  session.value = { client, access, plan, shelterId, apiKey };
}

/** Continues with a new secret of the same key, without a request that could fail. */
export function changeSecret(apiKey: string): void {
  if (session.value === undefined) return;
  storeKey(apiKey, isKeyRemembered());
  session.value = { ...session.value, client: connect(apiKey), apiKey };
}

export function signOut(reason?: string): void {
  flushNotices();
  stopWaiting();
  forgetKey();
  session.value = undefined;
  rate.value = undefined;
  if (reason !== undefined) notify(reason, { isFailure: true });
}

/** Signs in with the stored key, if there is one. Shows a notice when the call fails. */
export async function resumeSession(): Promise<void> {
  const apiKey = findStoredKey();
  if (apiKey === undefined) return;
  isResuming.value = true;
  try {
    await signIn(apiKey, { isRemembered: isKeyRemembered() });
  } catch (error) {
    if (error instanceof AuthenticationError) signOut(t().session.keyEnded);
    else notify(explain(error), { isFailure: true });
  } finally {
    isResuming.value = false;
  }
}

/** All calls go through here: shows the rate limit, signs out when the key has ended, and reads its access again after a 403. */
export async function ask<T>(work: (client: Client, apiKey: string) => Promise<T>): Promise<T> {
  const current = session.value;
  if (current === undefined) throw new Error(t().session.signedOut);
  try {
    return await work(current.client, current.apiKey);
  } catch (error) {
    const isCurrent = session.value?.client === current.client;
    if (error instanceof AuthenticationError && isCurrent) signOut(t().session.keyEnded);
    // The caller gets the 403; if the access cannot be read now, the next 403 tries again.
    if (error instanceof AccessError && isCurrent) askUsage().catch(() => {});
    throw error;
  } finally {
    if (session.value?.client === current.client) showRate(current.client.rate);
  }
}

/** Also updates the access of the session, which decides what the console offers. */
export async function askUsage(signal?: AbortSignal): Promise<Usage> {
  const asking = session.value?.client;
  const usage = await ask((client) => client.getUsage({ signal }));
  const { access, plan, shelterId } = usage;
  const current = session.value;
  if (current === undefined || current.client !== asking) return usage;
  const isOtherShelter = String(current.shelterId) !== String(shelterId);
  if (current.access === access && !isOtherShelter) return usage;
  session.value = { ...current, access, plan, shelterId };
  if (current.access !== access) notify(t().session.accessChanged(t().keys.levels[access]));
  if (isOtherShelter) notify(t().session.shelterChanged);
  return usage;
}

/** Responses can arrive out of order: within one window, the later one has fewer requests left. */
export function showRate(fresh: RateState | undefined): void {
  const shown = rate.value;
  const isSameWindow = shown?.limit === fresh?.limit && shown?.resetAt.getTime() === fresh?.resetAt.getTime();
  if (shown && fresh && isSameWindow && shown.remaining < fresh.remaining) return;
  rate.value = fresh;
}

export function isAllowed(operation: keyof typeof OPERATIONS): boolean {
  const isShared = SHARED.includes(operation);
  const { access } = OPERATIONS[operation];
  return (access === undefined || hasAccess(access)) && !(isShared && session.value?.shelterId !== undefined);
}

export function hasAccess(needed: Access): boolean {
  const held = session.value?.access;
  return held !== undefined && VALUES.Access.indexOf(held) >= VALUES.Access.indexOf(needed);
}

export function isOwnKey(hint: string): boolean {
  return hint !== "" && (session.value?.apiKey.startsWith(hint) ?? false);
}
