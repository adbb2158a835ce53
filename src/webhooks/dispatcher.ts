// Sends the events of all enabled webhooks. Runs on every node; the database decides which node attempts a delivery.
//
// A round asks the database which webhooks have work, and takes one portion for each: events become deliveries, due
// deliveries are claimed. A webhook with a long history gets its next portion in the next round, after all others.
// Attempts run beside the rounds. A webhook whose attempt has ended is asked for more at once, unless it is failing: those
// are left to the next round, and share half of the places, so that they cannot delay the others.

import { setTimeout as pause } from "node:timers/promises";
import type { ChangeSignal } from "../domain/change-signal.ts";
import type { ClaimedDelivery, DispatchTarget } from "../domain/dispatch.ts";
import { type AttemptObserver, type AttemptOptions, createAttempts } from "./attempts.ts";
import type { Webhooks } from "./gateway.ts";
import { findDisabledReason } from "./schedule.ts";

const PER_ENDPOINT_MAX = 4;
const PER_NODE_MAX = 50;
const FAILING_PER_NODE_MAX = PER_NODE_MAX / 2;
/** How often the database is asked for deliveries that have become due, and for changes of webhooks. */
const ROUND_MS = 1_000;
/** Between two rounds: collects events that come at almost the same time. */
const PAUSE_MS = 50;
/** For running attempts at the stop. */
const STOP_GRACE_MS = 3_000;

interface DispatchObserver extends AttemptObserver {
  /** Its secrets are of another master key, so nothing is sent to it. Called once. */
  unsigned(webhookId: bigint): void;
  /** Called for the first failure in a row. */
  failed(error: unknown): void;
}

interface DispatcherOptions extends Omit<AttemptOptions, "ending" | "cutting"> {
  webhooks: AttemptOptions["webhooks"] & Pick<Webhooks, "canSign">;
  changes: Pick<ChangeSignal, "wait">;
  observer: DispatchObserver;
  /** Whether this is the only process that sends. */
  isAlone: boolean;
  roundMs?: number;
  stopGraceMs?: number;
}

interface Round {
  /** The newest number of the history; undefined if no webhook waits for changes. */
  newest: bigint | undefined;
  /** Whether there are events that have no delivery yet. */
  hasMore: boolean;
}

export interface Dispatcher {
  /** All rounds that are needed now, and then everything that it has started. */
  run(): Promise<void>;
  /** Starts nothing more, and gives running attempts a short time. An attempt that is cut does not count. */
  stop(): Promise<void>;
}

export function startDispatcher(options: DispatcherOptions): Dispatcher {
  const { store, webhooks, changes, clock, observer } = options;
  const { roundMs = ROUND_MS, stopGraceMs = STOP_GRACE_MS } = options;
  const ending = new AbortController();
  const cutting = new AbortController();
  const attempts = createAttempts({ ...options, ending: ending.signal, cutting: cutting.signal });
  const running = new Map<Promise<void>, DispatchTarget>();
  /** One transaction of a webhook at a time. */
  const taking = new Map<bigint, Promise<boolean>>();
  /** Webhooks whose attempts have ended meanwhile. */
  const askAgain = new Set<bigint>();
  const unsigned = new Set<bigint>();
  let isBroken = false;
  let lastRound: Promise<void> = Promise.resolve();

  function countRunning(which: (target: DispatchTarget) => boolean): number {
    return [...running.values()].filter(which).length;
  }

  function findRoom({ id, failures }: DispatchTarget): number {
    const room = [PER_NODE_MAX - running.size];
    if (failures !== undefined)
      room.push(
        1 - countRunning((each) => each.id === id),
        FAILING_PER_NODE_MAX - countRunning((each) => each.failures !== undefined),
      );
    else room.push(PER_ENDPOINT_MAX - countRunning((each) => each.id === id));
    return Math.max(0, Math.min(...room));
  }

  /** Also without room: the events must become deliveries. Resolves to whether there are more events. */
  function take(target: DispatchTarget): Promise<boolean> {
    const known = taking.get(target.id);
    if (known !== undefined) {
      askAgain.add(target.id);
      return known;
    }
    const taken = takePortion(target).finally(() => taking.delete(target.id));
    taking.set(target.id, taken);
    return taken;
  }

  async function takePortion(target: DispatchTarget): Promise<boolean> {
    let hasMore = false;
    do {
      askAgain.delete(target.id);
      if (ending.signal.aborted) return false;
      const limits = { node: findRoom(target), endpoint: PER_ENDPOINT_MAX };
      const taken = await store.take(target.id, limits, clock.nowMs());
      if (taken.disabledReason !== undefined) observer.disabled(target.id, taken.disabledReason);
      for (const claimed of taken.claimed) start(claimed, target);
      hasMore = taken.hasMore;
    } while (askAgain.has(target.id));
    return hasMore;
  }

  function start(claimed: ClaimedDelivery, target: DispatchTarget): void {
    const attempt = attempts
      .deliver(claimed)
      .catch((error) => {
        report(error);
        return false;
      })
      .then((isDelivered) => {
        running.delete(attempt);
        // One refill for all attempts that end at the same time.
        if (isDelivered && !ending.signal.aborted)
          void take({ ...target, failures: undefined }).catch(report);
      });
    running.set(attempt, target);
  }

  function report(error: unknown): void {
    if (!isBroken) observer.failed(error);
    isBroken = true;
  }

  function handleFault(error: unknown): Round {
    report(error);
    return { newest: undefined, hasMore: false };
  }

  /** One round at a time. */
  function round(): Promise<Round> {
    const next = lastRound.then(runRound);
    lastRound = next.then(
      () => {},
      () => {},
    );
    return next;
  }

  async function runRound(): Promise<Round> {
    const { targets, newest } = await store.look(clock.nowMs());
    let hasMore = false;
    let hasFailed = false;
    for (const target of targets) {
      // Of one webhook: the others must not wait for it.
      const fail = (error: unknown) => {
        report(error);
        hasFailed = true;
        return false;
      };
      if (await handle(target).catch(fail)) hasMore = true;
    }
    if (!hasFailed) isBroken = false;
    return { newest: targets.length === 0 ? undefined : newest, hasMore };
  }

  /** Resolves to whether there are more events. */
  async function handle(target: DispatchTarget): Promise<boolean> {
    if (!target.hasWork) {
      await giveUp(target);
      return false;
    }
    if (await webhooks.canSign(target)) return take(target);
    // A receiver would refuse the signature. Everything waits for the right key.
    if (!unsigned.has(target.id)) observer.unsigned(target.id);
    unsigned.add(target.id);
    return false;
  }

  /** Disables a webhook that has nothing to attempt, and whose last attempts have failed long ago. */
  async function giveUp({ id, failures }: DispatchTarget): Promise<void> {
    const nowMs = clock.nowMs();
    const reason = failures && findDisabledReason(undefined, failures, nowMs);
    if (failures === undefined || reason === undefined) return;
    if (await store.disable(id, reason, failures, nowMs)) observer.disabled(id, reason);
  }

  async function repeatRounds(): Promise<void> {
    const { signal } = ending;
    if (options.isAlone) await store.releaseAll().catch(report);
    while (!signal.aborted) {
      const { newest, hasMore } = await round().catch(handleFault);
      if (hasMore) continue;
      if (newest === undefined) await pause(roundMs, undefined, { signal }).catch(() => {});
      else await changes.wait(newest, roundMs, signal);
      await pause(PAUSE_MS, undefined, { signal }).catch(() => {});
    }
  }

  const rounds = repeatRounds();

  return {
    async run() {
      while ((await round()).hasMore);
      while (running.size > 0 || taking.size > 0)
        await Promise.allSettled([...running.keys(), ...taking.values()]);
    },
    async stop() {
      ending.abort();
      const cut = setTimeout(() => cutting.abort(), stopGraceMs);
      await rounds;
      await Promise.allSettled([...taking.values()]);
      await Promise.allSettled([...running.keys()]);
      clearTimeout(cut);
    },
  };
}
