// Looks at each of several servers again and again, and decides after each look.

import { setTimeout as pause } from "node:timers/promises";
import type { ServerLook, ServerState } from "./server-look.ts";

/** Each pause is up to 20 % shorter or longer, so that nodes that started together do not look together. */
const EVERY_MS = 500;
const SPREAD = 0.2;
/** A server that does not answer is asked after 250 ms, then after twice as long each time, up to 2 s. */
const AWAY_MS = 250;
const AWAY_MS_MAX = 2_000;
/** Between two looks, however often `lookNow` is called. */
const LEAST_MS = 100;
/** When one server takes writes, the first decision waits no longer for the others. */
const OTHERS_MS = 500;

export type States = ReadonlyMap<ServerLook, ServerState>;

interface ServerWatches {
  states(): States;
  /** Resolves after the first decision. */
  decided: Promise<void>;
  /** Looks on a new connection; until then, the server counts as unreachable. */
  lookNow(look: ServerLook): void;
  stop(): void;
}

/** `decide` runs once at a time, and again if there was another look since. */
export function watchServers(looks: ServerLook[], decide: (states: States) => Promise<void>): ServerWatches {
  // In the order of the address.
  const states = new Map<ServerLook, ServerState>(
    looks.map((look) => [look, { role: "unreachable", reason: "no answer yet" }]),
  );
  const answered = new Set<ServerLook>();
  const wakers = new Map<ServerLook, AbortController>();
  const decided = Promise.withResolvers<void>();
  let isStopped = false;
  let isDeciding = false;
  let hasLooked = false;
  let beginMs = Number.POSITIVE_INFINITY;

  async function decideAgain(): Promise<void> {
    if (isDeciding || (answered.size < looks.length && performance.now() < beginMs)) return;
    isDeciding = true;
    for (hasLooked = true; hasLooked && !isStopped; ) {
      hasLooked = false;
      await decide(states);
      decided.resolve();
    }
    isDeciding = false;
  }

  function note(look: ServerLook, state: ServerState): void {
    states.set(look, state);
    answered.add(look);
    hasLooked = true;
    if (state.role === "primary" && beginMs === Number.POSITIVE_INFINITY) {
      beginMs = performance.now() + OTHERS_MS;
      setTimeout(() => void decideAgain(), OTHERS_MS + 1).unref();
    }
    void decideAgain();
  }

  async function follow(look: ServerLook): Promise<void> {
    for (let failures = 0; !isStopped; ) {
      const state = await look.look();
      if (isStopped) return;
      note(look, state);
      failures = state.role === "unreachable" ? failures + 1 : 0;
      await pause(LEAST_MS, undefined, { ref: false });
      const waker = new AbortController();
      wakers.set(look, waker);
      const { signal } = waker;
      await pause(pauseAfter(failures) - LEAST_MS, undefined, { ref: false, signal }).catch(() => {});
    }
  }

  for (const look of looks) void follow(look);
  return {
    states: () => states,
    decided: decided.promise,
    lookNow(look) {
      states.set(look, { role: "unreachable", reason: "it is looked at again" });
      look.disconnect();
      wakers.get(look)?.abort();
    },
    stop() {
      isStopped = true;
      for (const waker of wakers.values()) waker.abort();
      for (const look of looks) look.disconnect();
    },
  };
}

/** Until the next look, in milliseconds. */
export function pauseAfter(failures: number): number {
  const ms = failures === 0 ? EVERY_MS : Math.min(AWAY_MS_MAX, AWAY_MS * 2 ** (failures - 1));
  return ms * (1 - SPREAD + 2 * SPREAD * Math.random());
}
