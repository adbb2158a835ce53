// The gate of many nodes: counts and versions in Redis or Valkey, one round trip per request; alone while it is away.

import type { ApiKey } from "../domain/api-key.ts";
import type { Clock } from "../domain/clock.ts";
import { OperatorError } from "../domain/errors.ts";
import { type CountStore, type Gate, policyOf } from "../domain/gate.ts";
import { type Admission, type KeyCounts, type Verdict, viewAdmission } from "../domain/limits.ts";
import { limitsOf, PLANS } from "../domain/plan.ts";
import { createInProcessGate } from "./in-process.ts";
import { openRedis, type RedisLink } from "./redis-link.ts";
import { createStrangerBudgets } from "./stranger-budgets.ts";

const STORE_TIMEOUT_MS = 5_000;

/** Counts of an outage are not worth keeping. */
const NO_STORE: CountStore = {
  readAll: async () => new Map(),
  loadAll: async () => new Map(),
  save: async () => {},
  find: async () => undefined,
};

export interface RedisGateOptions {
  url: string;
  /** Before all names in Redis, so that services may share one. */
  prefix: string;
  /** How long a request waits before the node goes on by itself. */
  timeoutMs: number;
  /** Whether it serves requests; a command does not. */
  isNode: boolean;
  clock: Clock;
  /** Asked instead of Redis for the time; for tests. */
  timeOf?: Clock | undefined;
  onStateChange: (isAway: boolean, error?: unknown) => void;
}

export async function createRedisGate(options: RedisGateOptions): Promise<Gate> {
  const { url, prefix, timeoutMs, isNode, clock, timeOf, onStateChange } = options;
  const strangers = createStrangerBudgets(PLANS.free.perMinute);
  // One for all outages: a Redis that comes and goes must not give everybody a new share each time.
  const alone = await createInProcessGate({ clock, store: NO_STORE, onFlushError: () => {} });
  const link = openRedis({ url, timeoutMs, prefix, isNode }, onStateChange);
  await link.opened();

  async function ask(key: ApiKey, isCharged: boolean): Promise<Admission> {
    try {
      return await askRedis(link, key, isCharged, timeOf);
    } catch {
      // The link has told why; the request goes on without it.
      const share = shareOf(key, link.nodes());
      return isCharged ? alone.admit(share) : alone.peek(share);
    }
  }

  return {
    hasVersions: true,
    admit: (key) => ask(key, true),
    peek: (key) => ask(key, false),
    admitStranger: (address) => strangers.admit(address, clock.nowMs()),
    peekStranger: (address) => strangers.peek(address, clock.nowMs()),
    faults: () => (link.isAway() ? ["Redis does not answer: this node limits by itself"] : []),
    // A failure is made good by the short life of what others keep.
    raisePets: () => link.raisePets().catch(() => {}),
    raiseKey: (id) => link.raiseKey(`k:${id}`).catch(() => {}),
    async close() {
      await link.close();
      await alone.close();
    },
  };
}

async function askRedis(
  link: RedisLink,
  key: ApiKey,
  isCharged: boolean,
  timeOf: Clock | undefined,
): Promise<Admission> {
  const { perMinute, perDay, unbannedAtMs = 0 } = policyOf(key);
  const { nowMs, pets, reply } = await link.admit(
    `k:${key.id}`,
    [perMinute, perDay, unbannedAtMs, isCharged ? 1 : 0, key.version ?? ""],
    timeOf?.nowMs(),
  );
  const [verdict, minuteStartMs, minuteUsed, dayStartMs, dayUsed, banEndMs, version] = reply;
  const counts = {
    minute: { startMs: minuteStartMs, used: minuteUsed },
    day: { startMs: dayStartMs, used: dayUsed },
    banEndMs,
  };
  const admission = viewAdmission(counts, { perMinute, perDay }, nowMs, verdict as Verdict);
  admission.versions = { pets, key: Number(version) };
  return admission;
}

/** What this node may let through by itself, when all nodes do the same. */
function shareOf(key: ApiKey, nodes: number): ApiKey {
  const { perMinute, perDay } = limitsOf(key);
  const share = (limit: number) => Math.max(1, Math.floor(limit / nodes));
  return { ...key, perMinute: share(perMinute), perDay: share(perDay) };
}

/** For a move to Redis from a database that kept the counts. Rejects when Redis does not take them. */
export async function storeCounts(
  { url, prefix }: Pick<RedisGateOptions, "url" | "prefix">,
  counts: ReadonlyMap<bigint, KeyCounts>,
): Promise<void> {
  const link = openRedis({ url, timeoutMs: STORE_TIMEOUT_MS, prefix, isNode: false }, () => {});
  try {
    await link.opened();
    if (link.isAway())
      throw new OperatorError("Redis does not answer. Check REDIS_URL, or unset it to leave the counts out.");
    for (const [id, { minute, day, refusals, ban }] of counts) {
      await link.store(`k:${id}`, {
        ...{ ms: minute.startMs, mu: minute.used, ds: day.startMs, du: day.used },
        ...{ rs: refusals.startMs, ru: refusals.used, bs: ban.startMs, be: ban.endMs, bn: ban.number },
      });
    }
  } finally {
    await link.close();
  }
}
