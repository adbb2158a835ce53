// Sends the events of all enabled webhooks. Runs on every node; the database decides which node attempts a delivery.
//
// A round asks the database which webhooks have work, and takes it: events become deliveries, due deliveries are claimed.
// Attempts run beside the rounds. A webhook whose attempt has ended is asked for more at once, unless it is failing: those
// are left to the next round, and share half of the places, so that they cannot delay the others.

import { setTimeout as pause } from "node:timers/promises";
import type { ChangeSignal } from "../domain/change-signal.ts";
import type { Clock } from "../domain/clock.ts";
import { describeEvent, serializeEvent } from "../domain/event.ts";
import type {
  ClaimedDelivery,
  DisabledReason,
  DispatchStore,
  DispatchTarget,
  RecordedAttempt,
} from "../domain/webhook.ts";
import type { Webhooks } from "./gateway.ts";
import { findDisabledReason, isDelivered, isWarningDue, nextWaitMs } from "./schedule.ts";
import type { AttemptResult } from "./sender.ts";

const PER_ENDPOINT_MAX = 4;
const PER_NODE_MAX = 50;
const FAILING_PER_NODE_MAX = PER_NODE_MAX / 2;
/** How often the database is asked for deliveries that have become due, and for changes of webhooks. */
const ROUND_MS = 1_000;
/** Between two rounds: collects events that come at almost the same time. */
const PAUSE_MS = 50;
/** For running attempts at the stop. */
const STOP_GRACE_MS = 3_000;

interface DispatchObserver {
  attempted(result: "delivered" | "failed"): void;
  /** All attempts of a webhook have failed for a day. Called once. */
  warned(webhookId: bigint, failingSinceMs: number): void;
  disabled(webhookId: bigint, reason: DisabledReason): void;
  /** Called for the first failure in a row. */
  failed(error: unknown): void;
}

interface DispatcherOptions {
  store: DispatchStore;
  webhooks: Pick<Webhooks, "send" | "findSecrets">;
  changes: Pick<ChangeSignal, "wait">;
  clock: Clock;
  observer: DispatchObserver;
  /** Whether this is the only process that sends. */
  isAlone: boolean;
  random?: () => number;
  roundMs?: number;
  stopGraceMs?: number;
}

export interface Dispatcher {
  /** One round now, and then everything that it has started. */
  run(): Promise<void>;
  /** Starts nothing more, and gives running attempts a short time. An attempt that is cut does not count. */
  stop(): Promise<void>;
}

export function startDispatcher(options: DispatcherOptions): Dispatcher {
  const { store, webhooks, changes, clock, observer, random } = options;
  const { roundMs = ROUND_MS, stopGraceMs = STOP_GRACE_MS } = options;
  const ending = new AbortController();
  const cutting = new AbortController();
  const running = new Map<Promise<void>, DispatchTarget>();
  /** One transaction of a webhook at a time. */
  const taking = new Map<bigint, Promise<void>>();
  /** Webhooks whose attempts have ended meanwhile. */
  const askAgain = new Set<bigint>();
  let isBroken = false;

  function countRunning(which: (target: DispatchTarget) => boolean): number {
    return [...running.values()].filter(which).length;
  }

  function findRoom({ id, isFailing }: DispatchTarget): number {
    const room = [PER_NODE_MAX - running.size];
    if (isFailing)
      room.push(
        1 - countRunning((each) => each.id === id),
        FAILING_PER_NODE_MAX - countRunning((each) => each.isFailing),
      );
    else room.push(PER_ENDPOINT_MAX - countRunning((each) => each.id === id));
    return Math.max(0, Math.min(...room));
  }

  /** Also without room: the events must become deliveries. */
  function take(target: DispatchTarget): Promise<void> {
    const known = taking.get(target.id);
    if (known !== undefined) {
      askAgain.add(target.id);
      return known;
    }
    const taken = takeAll(target).finally(() => taking.delete(target.id));
    taking.set(target.id, taken);
    return taken;
  }

  async function takeAll(target: DispatchTarget): Promise<void> {
    let hasMore = true;
    while (hasMore && !ending.signal.aborted) {
      askAgain.delete(target.id);
      const limits = { node: findRoom(target), endpoint: PER_ENDPOINT_MAX };
      const taken = await store.take(target.id, limits, clock.nowMs());
      for (const claimed of taken.claimed) start(claimed, target);
      hasMore = taken.hasMore || askAgain.has(target.id);
    }
  }

  function start(claimed: ClaimedDelivery, target: DispatchTarget): void {
    const attempt = deliver(claimed)
      .then((isFailing) => ({ ...target, isFailing }))
      .catch((error) => {
        report(error);
        return { ...target, isFailing: true };
      })
      .then((after) => {
        running.delete(attempt);
        // One refill for all attempts that end at the same time.
        if (!after.isFailing && !ending.signal.aborted) void take(after).catch(report);
      });
    running.set(attempt, target);
  }

  /** Resolves to whether the webhook is failing. */
  async function deliver(claimed: ClaimedDelivery): Promise<boolean> {
    if (ending.signal.aborted) {
      await store.release(claimed);
      return true;
    }
    const { webhook, delivery, event } = claimed;
    const secrets = await webhooks.findSecrets(webhook);
    // As it was when the delivery was created: every attempt must have the same identifier.
    const epoch = delivery.eventId.split("_")[1] as string;
    const body = serializeEvent(describeEvent(event, epoch));
    const message = { url: webhook.url, eventId: delivery.eventId, body, secrets };
    const result = await webhooks.send(message, cutting.signal);
    if (cutting.signal.aborted && result.status === undefined) {
      await store.release(claimed);
      return true;
    }
    return record(claimed, result);
  }

  async function record(claimed: ClaimedDelivery, result: AttemptResult): Promise<boolean> {
    const { status, error, retryAfterMs } = result;
    const { attempts } = claimed.delivery;
    const atMs = clock.nowMs();
    const hasSucceeded = isDelivered(status);
    const waitMs = hasSucceeded
      ? undefined
      : nextWaitMs({ attempts: attempts + 1, retryAfterMs, ...(random && { random }) });
    const recorded = await store.record(
      claimed,
      {
        ...{ status, error, atMs, isDelivered: hasSucceeded },
        nextAttemptAtMs: waitMs === undefined ? undefined : atMs + waitMs,
      },
      (failures) => findDisabledReason(status, failures, atMs),
    );
    observer.attempted(hasSucceeded ? "delivered" : "failed");
    if (recorded !== undefined) tell(claimed.webhook.id, recorded, atMs);
    return !hasSucceeded;
  }

  function tell(
    id: bigint,
    { failuresBefore, failures, disabledReason }: RecordedAttempt,
    atMs: number,
  ): void {
    if (disabledReason !== undefined) observer.disabled(id, disabledReason);
    if (failures === undefined || !isWarningDue(failures, atMs)) return;
    const wasDue = failuresBefore !== undefined && isWarningDue(failuresBefore, failuresBefore.lastFailureMs);
    if (!wasDue) observer.warned(id, failures.failingSinceMs);
  }

  function report(error: unknown): void {
    if (!isBroken) observer.failed(error);
    isBroken = true;
  }

  /** Resolves to the newest number; undefined if no webhook waits for changes. */
  async function round(): Promise<bigint | undefined> {
    const { targets, newest } = await store.look(clock.nowMs());
    for (const target of targets) if (target.hasWork) await take(target);
    isBroken = false;
    return targets.length === 0 ? undefined : newest;
  }

  async function repeatRounds(): Promise<void> {
    const { signal } = ending;
    if (options.isAlone) await store.releaseAll().catch(report);
    while (!signal.aborted) {
      const newest = await round().catch((error) => void report(error));
      if (newest === undefined) await pause(roundMs, undefined, { signal }).catch(() => {});
      else await changes.wait(newest, roundMs, signal);
      await pause(PAUSE_MS, undefined, { signal }).catch(() => {});
    }
  }

  const rounds = repeatRounds();

  return {
    async run() {
      await round();
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
