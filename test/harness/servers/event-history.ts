// A history in memory and the readers of its events, for tests of streams and polls without a database.

import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import pino from "pino";
import { ServiceError } from "../../../src/domain/basics/errors.ts";
import {
  EVENT_TYPES,
  type EventFilter,
  type EventStore,
  isVisible,
  type StoredEvent,
} from "../../../src/domain/events/event.ts";
import type { ApiKey } from "../../../src/domain/keys/api-key.ts";
import { createFeedReaders } from "../../../src/http/events/feed-readers.ts";
import { createMetrics } from "../../../src/http/observe/metrics.ts";
import { createChangeSignal } from "../../../src/tools/change-signal.ts";
import { FREE_KEY } from "../clients/free-key.ts";
import { createClock } from "./app.ts";

export const EPOCH = "0123456789abcdef";
export const ALL: EventFilter = { types: EVENT_TYPES };

/** A history in memory whose reads are counted, and may fail. */
export function createHistory(name = "Rex") {
  const all: StoredEvent[] = [];
  const state = {
    epoch: EPOCH,
    reads: [] as Array<{ after: bigint; limit: number }>,
    fault: undefined as unknown,
  };
  const newest = () => BigInt(all.length);
  const events: EventStore = {
    async read(after, filter, limit) {
      const from = after === "oldest" ? 0n : after.number;
      state.reads.push({ after: from, limit });
      const { fault } = state;
      await yieldToEventLoop();
      if (fault !== undefined) throw fault;
      if (after !== "oldest" && after.epoch !== state.epoch) throw new ServiceError("feed_reset");
      const found = all
        .slice(Number(from))
        .filter((each) => isVisible(each, filter))
        .slice(0, limit);
      const examined = found.length === limit ? (found.at(-1)?.number ?? 0n) : newest();
      return { epoch: state.epoch, after: from, events: found, examined, newest: newest() };
    },
    newest: async () => ({ epoch: state.epoch, number: newest() }),
    forget: async () => 0,
  };
  const changes = createChangeSignal(async () => all.length);
  /** Without `isNoted`, the readers are not woken. */
  function add(count: number, type: StoredEvent["type"] = "pet.created", isNoted = true): void {
    for (let i = 0; i < count; i++)
      all.push({
        number: newest() + 1n,
        type,
        petId: 1n,
        atMs: 0,
        to: { name, categoryId: 1n, status: "sold" },
      });
    if (isNoted) changes.note(all.length);
  }
  return { events, changes, add, state };
}

/** Every key is valid; its secret is its id. */
export function followHistory(history = createHistory()) {
  const { events, changes } = history;
  const services = {
    events,
    changes,
    clock: createClock(0),
    gate: { peek: () => ({ verdict: "admitted" }) } as never,
    keyRing: { recall: () => undefined, verify: async (secret: string) => keyOf(BigInt(secret)) } as never,
    log: pino({ level: "silent" }),
    metrics: createMetrics(),
    publicUrl: () => "",
  };
  return { ...history, services, readers: createFeedReaders(services) };
}

export function keyOf(id: bigint): ApiKey {
  return { ...FREE_KEY, id };
}

export const isError = (code: string) => (error: unknown) => (error as { code?: string }).code === code;

export const range = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => from + index);
