// Sends the events of all enabled webhooks. Runs on every node; the database decides which node attempts a delivery.
//
// A round asks the database which webhooks have work, and takes it for each, in turn: events become deliveries, due
// deliveries are claimed. Webhooks that are far behind get one portion of their events at a time. Attempts run beside the
// rounds. A freed place goes to the webhook that has waited longest.

import { setTimeout as pause } from "node:timers/promises";
import type { ClaimedDelivery, DispatchTarget } from "../domain/webhooks/dispatch.ts";
import { EVENTS_PER_PORTION } from "../domain/webhooks/webhook-limits.ts";
import type { ChangeSignal } from "../tools/change-signal.ts";
import { type AttemptObserver, type AttemptOptions, createAttempts } from "./attempts.ts";
import type { Webhooks } from "./gateway.ts";
import { createPlaces, PER_ENDPOINT_MAX, type Reservation } from "./places.ts";
import { createPortions, isBehind } from "./portions.ts";
import { findDisabledReason } from "./schedule.ts";

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
  /** From this duration on, an attempt is slow. */
  slowMs?: number;
  /** For the rate of starts. */
  realMs?: () => number;
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
  const places = createPlaces({ clock, slowMs: options.slowMs, realMs: options.realMs });
  const portions = createPortions();
  const running = new Set<Promise<void>>();
  /** One transaction of a webhook at a time. */
  const taking = new Map<bigint, Promise<unknown>>();
  /** Webhooks that may have more due deliveries than places. */
  const waiting = new Map<bigint, DispatchTarget>();
  const unsigned = new Set<bigint>();
  let later: Promise<void> | undefined;
  let isBroken = false;
  let lastRound: Promise<void> = Promise.resolve();

  /** After a running take of the same webhook. Resolves to whether there are more events. */
  function take(target: DispatchTarget, limits: { events: number; contenders: number }): Promise<boolean> {
    const { id } = target;
    const before = taking.get(id);
    // Without one, its places are reserved at once.
    const work =
      before === undefined
        ? takeWork(target, limits)
        : before.catch(() => {}).then(() => takeWork(target, limits));
    const taken = work.finally(() => {
      if (taking.get(id) === taken) taking.delete(id);
      handOut();
    });
    taking.set(id, taken);
    return taken;
  }

  /** Also without a place: the events must become deliveries. */
  async function takeWork(
    target: DispatchTarget,
    { events, contenders }: { events: number; contenders: number },
  ): Promise<boolean> {
    const { id } = target;
    waiting.delete(id);
    if (ending.signal.aborted) return false;
    const reserved = places.reserve(target, contenders);
    try {
      const limits = { node: reserved.count, endpoint: PER_ENDPOINT_MAX, events };
      const { claimed, hasMore, disabledReason } = await store.take(id, limits, clock.nowMs());
      if (disabledReason !== undefined) observer.disabled(id, disabledReason);
      else if (claimed.length === reserved.count) waiting.set(id, target);
      for (const each of claimed) start(each, target, reserved);
      return hasMore;
    } finally {
      reserved.release();
    }
  }

  function start(claimed: ClaimedDelivery, target: DispatchTarget, reserved: Reservation): void {
    const end = reserved.start();
    const attempt = attempts
      .deliver(claimed)
      .catch((error) => {
        report(error);
        return false;
      })
      .then((isDelivered) => {
        running.delete(attempt);
        end(isDelivered);
        if (isDelivered) waiting.set(target.id, { ...target, failures: undefined });
        handOut();
      });
    running.add(attempt);
  }

  /** Gives free places to waiting webhooks, in turn. */
  function handOut(): void {
    if (ending.signal.aborted) return;
    const isReady = (target: DispatchTarget) => !taking.has(target.id) && places.findRoom(target) > 0;
    for (;;) {
      const ready = [...waiting.values()].filter(isReady);
      const target = places.next(ready);
      if (target === undefined) break;
      void take(target, { events: 0, contenders: ready.length }).catch(report);
    }
    const waitMs = places.findWaitMs(waiting.values());
    if (waitMs !== undefined) handOutAfter(waitMs);
  }

  /** One timer at a time: it sets the next one. */
  function handOutAfter(ms: number): void {
    later ??= sleep(ms).then(() => {
      later = undefined;
      handOut();
    });
  }

  function sleep(ms: number): Promise<void> {
    return pause(ms, undefined, { signal: ending.signal }).catch(() => {});
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
    places.keep(targets);
    for (const id of waiting.keys()) if (!targets.some((target) => target.id === id)) waiting.delete(id);
    let hasFailed = false;
    /** The other webhooks must not wait for one that fails. */
    const orFailed = <T>(work: Promise<T>) =>
      work.catch((error: unknown) => {
        report(error);
        hasFailed = true;
        return undefined;
      });
    const busy = new Set<DispatchTarget>();
    for (const target of targets)
      if (!target.hasWork) await orFailed(giveUp(target));
      else if (await orFailed(canSign(target))) busy.add(target);
    const behind = [...busy].filter(isBehind);
    const chosen = portions.choose(behind);
    let hasMore = false;
    while (busy.size > 0) {
      const contenders = busy.size;
      const target = places.next(busy) as DispatchTarget;
      busy.delete(target);
      if (await orFailed(handle(target, contenders, chosen))) hasMore = true;
    }
    if (!hasFailed) isBroken = false;
    return { newest: targets.length === 0 ? undefined : newest, hasMore };
  }

  /** Resolves to whether there are more events. */
  async function handle(
    target: DispatchTarget,
    contenders: number,
    chosen: DispatchTarget | undefined,
  ): Promise<boolean> {
    if (target === chosen)
      return portions.run(() => take(target, { events: EVENTS_PER_PORTION, contenders }));
    if (!isBehind(target)) return take(target, { events: EVENTS_PER_PORTION, contenders });
    if (places.findRoom(target) > 0) await take(target, { events: 0, contenders });
    return true;
  }

  /** With a wrong signature, a receiver would refuse everything: it waits for the right key instead. */
  async function canSign(target: DispatchTarget): Promise<boolean> {
    if (await webhooks.canSign(target)) return true;
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
      if (hasMore) await sleep(portions.waitMs());
      else if (newest === undefined) await sleep(roundMs);
      else await changes.wait(newest, roundMs, signal);
      await sleep(PAUSE_MS);
    }
  }

  const rounds = repeatRounds();

  return {
    async run() {
      while ((await round()).hasMore) await pause(portions.waitMs());
      while (running.size > 0 || taking.size > 0 || later !== undefined)
        await Promise.allSettled([...running, ...taking.values(), later]);
    },
    async stop() {
      ending.abort();
      const cut = setTimeout(() => cutting.abort(), stopGraceMs);
      await rounds;
      await Promise.allSettled([...taking.values()]);
      await Promise.allSettled([...running]);
      clearTimeout(cut);
    },
  };
}
