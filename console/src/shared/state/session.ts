// The signed-in key, its access and plan, the person it belongs to, and all calls with it.

import { signal } from "@preact/signals";
import {
  type Access,
  AccessError,
  AuthenticationError,
  type Client,
  createClient,
  type Fetch,
  type Int64,
  type NewDevice,
  type Plan,
  type RateState,
  type SignedIn,
  type Usage,
} from "../../../../client/src/client.ts";
import { DAY_MS } from "../../../../src/domain/basics/durations.ts";
import { startLanguage, t } from "../texts/language.ts";
import { addressOf } from "./addresses.ts";
import { readFirstSite } from "./brand.ts";
import { explain } from "./failures.ts";
import { flushNotices, notify } from "./notices.ts";
import { readFirstShelters, shelters } from "./shelter-list.ts";
import { findStoredKey, forgetKey, isKeyRemembered, storeKey } from "./stored-key.ts";
import { sleep, stopWaiting } from "./waiting.ts";

interface Session {
  client: Client;
  access: Access;
  plan: Plan;
  /** The only shelter whose animals the key may change; undefined for the whole network. */
  shelterId: Int64 | undefined;
  /** Who has signed in by an invitation; undefined for a key that belongs to nobody. */
  person: Usage["person"];
  apiKey: string;
}

/** For a call that needs no key: the client sends none. */
const NO_KEY = "none";

export const session = signal<Session | undefined>(undefined);
/** The stored key, after a reload until it has been checked. */
export const resumedKey = signal<string | undefined>(undefined);
/** Why the last session has ended by itself, for the sign-in page. */
export const endReason = signal<string | undefined>(undefined);
export const rate = signal<RateState | undefined>(undefined);
/** Calls that have not ended. */
const running = new Set<Promise<unknown>>();

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
  const usage = await client.getUsage({ signal });
  await readFirst(client, signal);
  enter({ client, apiKey, usage, isRemembered });
}

/** Reads what the header shows, before the first view. Never rejects. */
async function readFirst(client: Client, signal?: AbortSignal): Promise<void> {
  await Promise.all([readFirstShelters(client, signal), readFirstSite(client, signal)]);
}

interface Entered {
  client: Client;
  apiKey: string;
  usage: Usage;
  isRemembered: boolean;
}

function enter({ client, apiKey, usage, isRemembered }: Entered): void {
  const { access, plan, shelterId, person } = usage;
  rate.value = client.rate;
  // A key that was remembered before, and could not be used when the page was opened, must not stay.
  forgetKey();
  storeKey(apiKey, isRemembered);
  flushNotices();
  session.value = { client, access, plan, shelterId, person, apiKey };
}

/**
 * Exchanges the code of an invitation for a key. It is stored before it is used, because the code works once. Ends the
 * session of the person who was signed in on this device before.
 */
export async function acceptInvitation(device: NewDevice, isRemembered: boolean): Promise<SignedIn> {
  const joined = await connect(NO_KEY).acceptInvitation(device);
  const left = session.value;
  forgetKey();
  storeKey(joined.key, isRemembered);
  if (left?.person !== undefined) void endKey(left.client);
  return joined;
}

/** Continues with a new secret of the same key, without a request that could fail. */
export function changeSecret(apiKey: string): void {
  if (session.value === undefined) return;
  storeKey(apiKey, isKeyRemembered());
  session.value = { ...session.value, client: connect(apiKey), apiKey };
}

/** Signs out on the wish of the user: the key of a person, which is for this device alone, ends too. */
export function signOut(): void {
  const left = session.value;
  leaveSession();
  if (left?.person !== undefined) void endKey(left.client);
}

/** Signs out because the key has ended, or is about to. */
export function dropSession(reason: string): void {
  leaveSession();
  endReason.value = reason;
}

function leaveSession(): void {
  flushNotices();
  stopWaiting();
  forgetKey();
  session.value = undefined;
  rate.value = undefined;
  endReason.value = undefined;
}

/** After the calls that still run, such as deletions. Never rejects: without the service, the key is only forgotten here. */
async function endKey(client: Client): Promise<void> {
  await Promise.allSettled(running);
  await client.endSession({ retries: 0 }).catch(() => {});
}

/** Signs in with the stored key, if there is one. Shows a notice when the call fails. */
export async function resumeSession(): Promise<void> {
  const apiKey = findStoredKey();
  if (apiKey === undefined) return;
  resumedKey.value = apiKey;
  try {
    const client = connect(apiKey);
    // All at once, because the key has worked before.
    const first = readFirst(client);
    const usage = await client.getUsage();
    await first;
    // They do not wait out a limit, as the call before has done.
    if (shelters.value === undefined) await readFirst(client);
    enter({ client, apiKey, usage, isRemembered: isKeyRemembered() });
  } catch (error) {
    // The answer may arrive before the texts of the language.
    await startLanguage();
    // Whose key it was is not stored.
    if (error instanceof AuthenticationError) dropSession(t().session.ended);
    else notify(explain(error), { isFailure: true });
  } finally {
    resumedKey.value = undefined;
  }
}

/** All calls go through here: shows the rate limit, signs out when the key has ended, and reads its access again after a 403. */
export async function ask<T>(work: (client: Client, apiKey: string) => Promise<T>): Promise<T> {
  const current = session.value;
  if (current === undefined) throw new Error(t().session.signedOut);
  const call = work(current.client, current.apiKey);
  running.add(call);
  try {
    return await call;
  } catch (error) {
    const isCurrent = session.value?.client === current.client;
    if (error instanceof AuthenticationError && isCurrent) dropSession(describeEnd(current));
    // The caller gets the 403; if the access cannot be read now, the next 403 tries again.
    if (error instanceof AccessError && isCurrent) askUsage().catch(() => {});
    throw error;
  } finally {
    running.delete(call);
    if (session.value?.client === current.client) showRate(current.client.rate);
  }
}

function describeEnd({ person }: Session): string {
  return person === undefined ? t().session.keyEnded : t().session.personEnded;
}

/** Also updates the access of the session, which decides what the console offers. */
export async function askUsage(signal?: AbortSignal): Promise<Usage> {
  const asking = session.value?.client;
  const usage = await ask((client) => client.getUsage({ signal }));
  const { access, plan, shelterId, person } = usage;
  const current = session.value;
  if (current === undefined || current.client !== asking) return usage;
  const isOtherShelter = String(current.shelterId) !== String(shelterId);
  const isSame = current.access === access && !isOtherShelter && current.person?.name === person?.name;
  if (isSame) return usage;
  session.value = { ...current, access, plan, shelterId, person };
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

export function isOwnKey(hint: string): boolean {
  return hint !== "" && (session.value?.apiKey.startsWith(hint) ?? false);
}
