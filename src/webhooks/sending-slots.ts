// The slots of this node for running attempts: how many a webhook may have, and whose turn is next.
//
// A webhook begins with one slot; a success within 2 s earns it up to 4. One whose last attempt failed or was slow, or
// whose running attempt is slow, is held back: it has one slot, and its key 5 for all of these. Both kinds together
// have 50 % of the node. So a receiver that keeps its slots for long, with or without success, cannot take all of them.
// One that fails gets an attempt a second: failing may cost much CPU, and new events would otherwise repeat it at once.

import type { Clock } from "../domain/basics/clock.ts";
import type { DispatchTarget } from "../domain/webhooks/dispatch.ts";
import { createStartRate } from "./start-rate.ts";

export const PER_ENDPOINT_MAX = 4;
const PER_NODE_MAX = 50;
const PER_KEY_MAX = 20;
/** Shared by webhooks that are held back, and new ones. */
const UNPROVEN_PER_NODE_MAX = PER_NODE_MAX / 2;
const HELD_PER_KEY_MAX = 5;
/** From this duration on, an attempt is slow. */
const SLOW_MS = 2_000;
/** From the start of a failed attempt to the next one. */
const FAILED_GAP_MS = 1_000;

interface Slot {
  id: bigint;
  keyId: bigint;
  kind: "new" | "proven" | "held";
  /** Undefined until the attempt starts. */
  startedMs: number | undefined;
}

export interface SlotOptions {
  clock: Clock;
  slowMs?: number | undefined;
  /** Real time, because the rate of starts limits the CPU use of this process. */
  realMs?: (() => number) | undefined;
}

export type SendingSlots = ReturnType<typeof createSendingSlots>;

export function createSendingSlots(options: SlotOptions) {
  const { clock, realMs = () => performance.now() } = options;
  const pool = createPool(options);
  const starts = createStartRate(realMs);
  const turns = createTurns();
  const findRoom = (target: DispatchTarget) =>
    Math.max(0, Math.min(pool.findRoom(target), starts.findRoom(target.keyId)));

  return {
    /** How many attempts of the webhook may start now. */
    findRoom,
    /** Until the first of the webhooks may start an attempt whose key has started too many; undefined if there is none. */
    findWaitMs(targets: Iterable<DispatchTarget>): number | undefined {
      const waits = [...targets].map(({ keyId }) => starts.findWaitMs(keyId)).filter((ms) => ms > 0);
      return waits.length === 0 ? undefined : Math.min(...waits);
    },
    /** Takes all of its room, or its share if `contenders` webhooks, itself included, want the free slots. */
    reserve(target: DispatchTarget, contenders: number) {
      const share = Math.max(1, Math.floor(pool.countFree() / contenders));
      const count = Math.min(findRoom(target), share);
      const unused = pool.take(target, count);
      starts.add(target.keyId, count);
      if (count > 0) turns.note(target);
      return {
        count,
        /** Starts one attempt. The returned function is called at its end. */
        start() {
          const slot = unused.pop() as Slot;
          slot.startedMs = clock.monotonicMs();
          return (isDelivered: boolean) => pool.finish(slot, isDelivered);
        },
        /** Frees the slots that no attempt has used. */
        release(): void {
          starts.add(target.keyId, -unused.length);
          pool.free(unused.splice(0));
        },
      };
    },
    /** The webhook that has waited longest, of the key that has waited longest. */
    next: turns.next,
    /** Forgets all other webhooks. */
    keep(targets: DispatchTarget[]): void {
      pool.keep(targets);
      turns.keep(targets);
    },
  };
}

/** The slots that are taken, and the last result of each webhook. */
function createPool({ clock, slowMs = SLOW_MS }: SlotOptions) {
  const taken = new Set<Slot>();
  const results = new Map<bigint, { wasFast: boolean; restEndMs: number }>();
  const count = (matches: (slot: Slot) => boolean) => [...taken].filter(matches).length;
  const isSlow = ({ startedMs }: Slot) =>
    startedMs !== undefined && clock.monotonicMs() - startedMs >= slowMs;

  function kindOf({ id, failures }: DispatchTarget): Slot["kind"] {
    const wasFast = results.get(id)?.wasFast;
    const isHeld =
      failures !== undefined || wasFast === false || count((slot) => slot.id === id && isSlow(slot)) > 0;
    if (isHeld) return "held";
    return wasFast ? "proven" : "new";
  }

  return {
    countFree: () => PER_NODE_MAX - taken.size,
    findRoom(target: DispatchTarget): number {
      const { id, keyId } = target;
      if (clock.monotonicMs() < (results.get(id)?.restEndMs ?? 0)) return 0;
      const kind = kindOf(target);
      const ofKey = (slot: Slot) => slot.keyId === keyId;
      const room = [PER_NODE_MAX - taken.size, PER_KEY_MAX - count(ofKey)];
      room.push((kind === "proven" ? PER_ENDPOINT_MAX : 1) - count((slot) => slot.id === id));
      if (kind !== "proven")
        room.push(UNPROVEN_PER_NODE_MAX - count((slot) => slot.kind !== "proven" || isSlow(slot)));
      if (kind === "held")
        room.push(HELD_PER_KEY_MAX - count((slot) => ofKey(slot) && (slot.kind === "held" || isSlow(slot))));
      return Math.min(...room);
    },
    take(target: DispatchTarget, length: number): Slot[] {
      const { id, keyId } = target;
      const kind = kindOf(target);
      const slots = Array.from({ length }, () => ({ id, keyId, kind, startedMs: undefined }));
      for (const slot of slots) taken.add(slot);
      return slots;
    },
    finish(slot: Slot, isDelivered: boolean): void {
      taken.delete(slot);
      const restEndMs = isDelivered ? 0 : (slot.startedMs ?? 0) + FAILED_GAP_MS;
      results.set(slot.id, { wasFast: isDelivered && !isSlow(slot), restEndMs });
    },
    free(slots: Slot[]): void {
      for (const slot of slots) taken.delete(slot);
    },
    keep: (targets: DispatchTarget[]) => dropOthers(results, targets, "id"),
  };
}

/** When webhooks and keys got their last slot, counted in turns. */
function createTurns() {
  const ofWebhook = new Map<bigint, number>();
  const ofKey = new Map<bigint, number>();
  let turns = 0;
  return {
    note({ id, keyId }: DispatchTarget): void {
      turns += 1;
      ofWebhook.set(id, turns);
      ofKey.set(keyId, turns);
    },
    next<T extends DispatchTarget>(targets: T[]): T | undefined {
      const compare = (one: DispatchTarget, other: DispatchTarget) =>
        (ofKey.get(one.keyId) ?? 0) - (ofKey.get(other.keyId) ?? 0) ||
        (ofWebhook.get(one.id) ?? 0) - (ofWebhook.get(other.id) ?? 0);
      return targets.toSorted(compare)[0];
    },
    keep(targets: DispatchTarget[]): void {
      dropOthers(ofWebhook, targets, "id");
      dropOthers(ofKey, targets, "keyId");
    },
  };
}

/** Deletes the entries of all other webhooks, or of all other keys. */
export function dropOthers(map: Map<bigint, unknown>, targets: DispatchTarget[], by: "id" | "keyId"): void {
  const kept = new Set(targets.map((target) => target[by]));
  for (const id of map.keys()) if (!kept.has(id)) map.delete(id);
}
