// The places of this node for running attempts: how many a webhook may have, and whose turn is next.
//
// A webhook begins with one place; a success within 2 s earns it up to 4. One whose last attempt failed or was slow, or
// whose running attempt is slow, is held back: it has one place, and its key 5 for all of these. Both kinds together
// have half of the node. So a receiver that keeps its places for long, with or without success, cannot take all of them.
// One that fails gets an attempt a second: failing may cost much CPU, and new events would otherwise repeat it at once.

import type { Clock } from "../domain/basics/clock.ts";
import type { DispatchTarget } from "../domain/webhooks/dispatch.ts";
import { createStartRate } from "./start-rate.ts";

export const PER_ENDPOINT_MAX = 4;
const PER_NODE_MAX = 50;
const PER_KEY_MAX = 20;
/** For webhooks that are held back, and new ones. */
const UNPROVEN_PER_NODE_MAX = PER_NODE_MAX / 2;
const HELD_PER_KEY_MAX = 5;
/** From this duration on, an attempt is slow. */
const SLOW_MS = 2_000;
/** From the start of a failed attempt to the next one. */
const FAILED_GAP_MS = 1_000;

interface Place {
  id: bigint;
  keyId: bigint;
  isProven: boolean;
  isHeld: boolean;
  /** Undefined until the attempt starts. */
  startedMs: number | undefined;
}

export interface Reservation {
  count: number;
  /** One attempt starts. The returned function is called at its end. */
  start(): (isDelivered: boolean) => void;
  /** Frees the places that no attempt has used. */
  release(): void;
}

export interface Places {
  /** How many attempts of the webhook may start now. */
  findRoom(target: DispatchTarget): number;
  /** Until the first of the webhooks may start an attempt whose key has started too many; undefined if there is none. */
  findWaitMs(targets: Iterable<DispatchTarget>): number | undefined;
  /** Takes all of its room, or its share if `contenders` webhooks, itself included, want the free places. */
  reserve(target: DispatchTarget, contenders: number): Reservation;
  /** The webhook that has waited longest, of the key that has waited longest. */
  next<T extends DispatchTarget>(targets: Iterable<T>): T | undefined;
  /** Forgets all other webhooks. */
  keep(targets: DispatchTarget[]): void;
}

interface PlacesOptions {
  clock: Clock;
  slowMs?: number | undefined;
  /** For the rate of starts, which is about the CPU of this process: real time. */
  realMs?: (() => number) | undefined;
}

export function createPlaces(options: PlacesOptions): Places {
  const { clock, slowMs = SLOW_MS, realMs = () => performance.now() } = options;
  const taken = new Set<Place>();
  const starts = createStartRate(realMs);
  /** Whether the last attempt of a webhook was a fast success. */
  const wasFast = new Map<bigint, boolean>();
  /** When a webhook whose last attempt failed may start the next one. */
  const restEndMs = new Map<bigint, number>();
  /** When webhooks and keys got their last place, counted in turns. */
  const webhookTurns = new Map<bigint, number>();
  const keyTurns = new Map<bigint, number>();
  let turns = 0;

  function isSlow({ startedMs }: Place): boolean {
    return startedMs !== undefined && clock.monotonicMs() - startedMs >= slowMs;
  }

  function count(matches: (place: Place) => boolean): number {
    return [...taken].filter(matches).length;
  }

  function isHeld({ id, failures }: DispatchTarget): boolean {
    if (failures !== undefined || wasFast.get(id) === false) return true;
    return count((place) => place.id === id && isSlow(place)) > 0;
  }

  function isProven(target: DispatchTarget): boolean {
    return wasFast.get(target.id) === true && !isHeld(target);
  }

  function findRoom(target: DispatchTarget): number {
    const { id, keyId } = target;
    if (clock.monotonicMs() < (restEndMs.get(id) ?? 0)) return 0;
    const own = count((place) => place.id === id);
    const room = [PER_NODE_MAX - taken.size, PER_KEY_MAX - count((place) => place.keyId === keyId)];
    room.push(starts.findRoom(keyId));
    if (isProven(target)) room.push(PER_ENDPOINT_MAX - own);
    else room.push(1 - own, UNPROVEN_PER_NODE_MAX - count((place) => !place.isProven || isSlow(place)));
    if (isHeld(target)) {
      const held = count((place) => place.keyId === keyId && (place.isHeld || isSlow(place)));
      room.push(HELD_PER_KEY_MAX - held);
    }
    return Math.max(0, Math.min(...room));
  }

  function finish(place: Place, isDelivered: boolean): void {
    taken.delete(place);
    wasFast.set(place.id, isDelivered && !isSlow(place));
    if (isDelivered) restEndMs.delete(place.id);
    else restEndMs.set(place.id, (place.startedMs ?? 0) + FAILED_GAP_MS);
  }

  return {
    findRoom,

    findWaitMs(targets) {
      const waits = [...targets].map(({ keyId }) => starts.findWaitMs(keyId)).filter((ms) => ms > 0);
      return waits.length === 0 ? undefined : Math.min(...waits);
    },

    reserve(target, contenders) {
      const { id, keyId } = target;
      const share = Math.max(1, Math.floor((PER_NODE_MAX - taken.size) / contenders));
      const places = Array.from({ length: Math.min(findRoom(target), share) }, () => ({
        id,
        keyId,
        isProven: isProven(target),
        isHeld: isHeld(target),
        startedMs: undefined,
      }));
      for (const place of places) taken.add(place);
      starts.add(keyId, places.length);
      if (places.length > 0) {
        turns += 1;
        webhookTurns.set(id, turns);
        keyTurns.set(keyId, turns);
      }
      const unused: Place[] = [...places];
      return {
        count: places.length,
        start() {
          const place = unused.pop() as Place;
          place.startedMs = clock.monotonicMs();
          return (isDelivered) => finish(place, isDelivered);
        },
        release() {
          starts.add(keyId, -unused.length);
          for (const place of unused.splice(0)) taken.delete(place);
        },
      };
    },

    next(targets) {
      const waitOf = ({ id, keyId }: DispatchTarget) => [keyTurns.get(keyId) ?? 0, webhookTurns.get(id) ?? 0];
      const [first] = [...targets].toSorted((a, b) => {
        const [keyA = 0, webhookA = 0] = waitOf(a);
        const [keyB = 0, webhookB = 0] = waitOf(b);
        return keyA - keyB || webhookA - webhookB;
      });
      return first;
    },

    keep(targets) {
      const ids = new Set(targets.map(({ id }) => id));
      const keys = new Set(targets.map(({ keyId }) => keyId));
      for (const map of [wasFast, restEndMs, webhookTurns]) dropOthers(map, ids);
      dropOthers(keyTurns, keys);
    },
  };
}

function dropOthers(map: Map<bigint, unknown>, kept: Set<bigint>): void {
  for (const id of map.keys()) if (!kept.has(id)) map.delete(id);
}
