// Sends the events of all enabled webhooks. Runs on every node; the database decides which node attempts a delivery.
//
// A round asks the database which webhooks have work, and takes it for each, in turn: events become deliveries, due
// deliveries are claimed. Webhooks that are far behind get one portion of their events at a time. Attempts run beside the
// rounds; each that ends lets the next webhook claim deliveries at once.

import { setTimeout as pause } from "node:timers/promises";
import { findDisabledReason } from "../domain/webhooks/attempt-schedule.ts";
import type { DispatchTarget } from "../domain/webhooks/dispatch.ts";
import type { ChangeSignal } from "../tools/change-signal.ts";
import type { AttemptObserver } from "./attempts.ts";
import { type ClaimOptions, type Claims, createClaims } from "./claims.ts";
import type { Webhooks } from "./gateway.ts";

/** How often the database is asked for deliveries that have become due, and for changes of webhooks. */
const ROUND_MS = 1_000;
/** Between two rounds: collects events that come at almost the same time. */
const PAUSE_MS = 50;
/** Given to running attempts at the stop. */
const STOP_GRACE_MS = 3_000;

interface DispatchObserver extends AttemptObserver {
  /** Its secrets are of another master key, so nothing is sent to it. Called once. */
  unsigned(webhookId: bigint): void;
  /** Called for the first failure in a row. */
  failed(error: unknown): void;
}

interface DispatcherOptions extends Omit<ClaimOptions, "ending" | "cutting" | "onError"> {
  webhooks: ClaimOptions["webhooks"] & Pick<Webhooks, "canSign">;
  changes: Pick<ChangeSignal, "wait">;
  observer: DispatchObserver;
  /** Whether this is the only process that sends. */
  isAlone: boolean;
  roundMs?: number;
  stopGraceMs?: number;
}

interface Round {
  /** The newest number of the history; undefined if no webhook waits for changes. */
  newest?: bigint;
  /** When events that have no delivery yet can be taken; undefined if there are none. */
  moreAfterMs: number | undefined;
}

export interface Dispatcher {
  /** Resolves after all rounds that are needed now, and everything that they have started. */
  run(): Promise<void>;
  /** Starts nothing more, and gives running attempts a short time. An attempt that is cut does not count. */
  stop(): Promise<void>;
}

export function startDispatcher(options: DispatcherOptions): Dispatcher {
  const { store, changes, roundMs = ROUND_MS, stopGraceMs = STOP_GRACE_MS } = options;
  const ending = new AbortController();
  const cutting = new AbortController();
  const signals = { ending: ending.signal, cutting: cutting.signal };
  const faults = createFaultReports(options.observer.failed);
  const claims = createClaims({ ...options, ...signals, onError: faults.report });
  const runRound = createRound(options, claims, faults);
  let lastRound: Promise<unknown> = Promise.resolve();

  function round(): Promise<Round> {
    const next = lastRound.then(runRound);
    lastRound = next.catch(() => {});
    return next;
  }

  const sleep = (ms: number) => pause(ms, undefined, { signal: ending.signal }).catch(() => {});

  async function repeatRounds(): Promise<void> {
    if (options.isAlone) await store.releaseAll().catch(faults.report);
    while (!ending.signal.aborted) {
      const { newest, moreAfterMs } = (await round().catch(faults.report)) ?? {};
      if (moreAfterMs !== undefined || newest === undefined) await sleep(moreAfterMs ?? roundMs);
      else await changes.wait(newest, roundMs, ending.signal);
      await sleep(PAUSE_MS);
    }
  }

  const rounds = repeatRounds();

  return {
    async run() {
      for (let waitMs: number | undefined = 0; waitMs !== undefined; waitMs = (await round()).moreAfterMs)
        await pause(waitMs);
      await claims.idle();
    },
    async stop() {
      ending.abort();
      const cut = setTimeout(() => cutting.abort(), stopGraceMs);
      await rounds;
      await claims.idle();
      clearTimeout(cut);
    },
  };
}

/** Reports the first fault in a row; a round without a fault ends the row. */
function createFaultReports(onFirst: (error: unknown) => void) {
  let isFailing = false;
  let hasRoundFailed = false;
  return {
    report(error: unknown): undefined {
      if (!isFailing) onFirst(error);
      isFailing = true;
      hasRoundFailed = true;
    },
    beginRound(): void {
      hasRoundFailed = false;
    },
    endRound(): void {
      isFailing = hasRoundFailed;
    },
  };
}

function createRound(
  options: DispatcherOptions,
  claims: Claims,
  faults: ReturnType<typeof createFaultReports>,
): () => Promise<Round> {
  const { store, webhooks, clock, observer } = options;
  const unsigned = new Set<bigint>();

  /** With a wrong signature, a receiver would refuse everything: it waits for the right key instead. */
  async function canSign(target: DispatchTarget): Promise<boolean> {
    if (await webhooks.canSign(target)) return true;
    if (!unsigned.has(target.id)) observer.unsigned(target.id);
    unsigned.add(target.id);
    return false;
  }

  return async () => {
    const { targets, newest } = await store.look(clock.nowMs());
    claims.keep(targets);
    faults.beginRound();
    const busy: DispatchTarget[] = [];
    for (const target of targets) {
      // The other webhooks must not wait for one that fails.
      if (!target.hasWork) await disableIfFailing(options, target).catch(faults.report);
      else if (await canSign(target).catch(faults.report)) busy.push(target);
    }
    const moreAfterMs = await claims.takeAll(busy);
    faults.endRound();
    return { moreAfterMs, ...(targets.length > 0 && { newest }) };
  };
}

/** Disables a webhook that has nothing to attempt, and whose last attempts have failed long ago. */
async function disableIfFailing(
  { store, clock, observer }: DispatcherOptions,
  { id, failures }: DispatchTarget,
): Promise<void> {
  const nowMs = clock.nowMs();
  const reason = failures && findDisabledReason(undefined, failures, nowMs);
  if (failures === undefined || reason === undefined) return;
  if (await store.disable(id, reason, failures, nowMs)) observer.disabled(id, reason);
}
