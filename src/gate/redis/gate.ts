// The gate of many nodes: counts and versions in Redis or Valkey, in one round trip per request. While Redis is away,
// each node admits its share of the limits.

import type { Clock } from "../../domain/basics/clock.ts";
import type { NodeStore, VersionStore } from "../../domain/basics/versions.ts";
import { type Admission, type KeyCounts, type Verdict, viewAdmission } from "../../domain/keys/admission.ts";
import type { ApiKey } from "../../domain/keys/api-key.ts";
import type { Gate } from "../../domain/keys/gate.ts";
import { type KeyLimits, limitsOf, policyOf } from "../../domain/keys/plan.ts";
import { OperatorError } from "../../tools/operator-error.ts";
import { createInProcessGate, type InProcessGate } from "../in-process.ts";
import type { Decision } from "./admissions.ts";
import type { RedisTarget } from "./client.ts";
import { describeFaults, listServers } from "./faults.ts";
import { openRedis, type RedisLink } from "./link.ts";
import { type NodeCount, startNodeCount } from "./node-count.ts";
import type { AdmitValues } from "./script.ts";
import type { StateChange } from "./server-probes.ts";
import { startVersionWatch, type VersionWatch } from "./version-watch.ts";

const STORE_TIMEOUT_MS = 5_000;

/** Counts of an outage are not stored. */
const NO_STORE = { loadAll: async () => new Map<bigint, KeyCounts>(), save: async () => {} };

interface RedisGateOptions extends RedisTarget {
  /** Prefix of all names in Redis, so that services can share one. */
  prefix: string;
  /** How long a request waits before the node decides without Redis. */
  timeoutMs: number;
  /** False for a command, which serves no requests. */
  isNode: boolean;
  clock: Clock;
  /** Replaces the clock of Redis in tests. */
  timeOf?: Clock | undefined;
  versions: VersionStore;
  nodes: NodeStore;
  onStateChange: (change: StateChange) => void;
  /** Called when versions or nodes cannot be read from the database; they are read again soon. */
  onWatchError: (error: unknown) => void;
}

export async function createRedisGate(options: RedisGateOptions): Promise<Gate> {
  const { url, sentinelPassword, prefix, timeoutMs, isNode, clock, onStateChange, onWatchError } = options;
  // One for all outages: otherwise each outage would give every key a new share.
  const alone = await createInProcessGate({ clock, store: NO_STORE, onFlushError: () => {} });
  const watch = await startVersionWatch({
    store: options.versions,
    isRepeated: isNode,
    onError: onWatchError,
  });
  const nodes = isNode ? await startNodeCount(options.nodes, onWatchError) : undefined;
  const link = openRedis({ url, sentinelPassword, timeoutMs, prefix, known: () => watch }, (change) => {
    if (change.hasVersions) watch.beginGeneration();
    onStateChange(change);
  });
  await link.opened();

  const ask = createAsk({ alone, watch, nodes, link }, options.timeOf);

  return {
    hasVersions: true,
    generation: () => watch.generation,
    admit: (key) => ask(key, true),
    peek: (key) => ask(key, false),
    admitAnonymous: alone.admitAnonymous,
    peekAnonymous: alone.peekAnonymous,
    newestNumber: () => watch.pets,
    faults: () => describeFaults(link),
    servers: () => listServers(link),
    // A failure can be ignored: this node publishes the version before Redis counts as available again, and the other
    // nodes read it from the database.
    async publishPetsVersion(version) {
      watch.notePetsVersion(version);
      await link.publishPets().catch(() => {});
    },
    async publishKeyVersion(id, version) {
      watch.noteKeyVersion(id, version);
      await link.publishKey(`k:${id}`, version).catch(() => {});
    },
    publishedNumber: link.readPets,
    adoptVersions: watch.adopt,
    async close() {
      await link.close();
      await watch.close();
      await nodes?.close();
      await alone.close();
    },
  };
}

interface GateParts {
  alone: InProcessGate;
  watch: VersionWatch;
  nodes: NodeCount | undefined;
  link: RedisLink;
}

/** Decides on a request with Redis; without it, this node decides with its share of the limits. */
function createAsk({ alone, watch, nodes, link }: GateParts, timeOf: Clock | undefined) {
  function askAlone(key: ApiKey, isCharged: boolean): Admission {
    const share = shareOf(key, nodes?.nodes() ?? 1);
    return isCharged ? alone.admit(share) : alone.peek(share);
  }

  return (key: ApiKey, isCharged: boolean): Promise<Admission> => {
    const version = watch.versionOfKey(key.id);
    if (key.version !== undefined && key.version < version)
      return Promise.resolve({
        ...askAlone(key, false),
        verdict: "stale",
        versions: { pets: 0, key: version },
      });
    const { perMinute, perDay, unbannedAtMs = 0 } = policyOf(key);
    const { generation } = watch;
    const values: AdmitValues = [perMinute, perDay ?? "", unbannedAtMs, isCharged ? 1 : 0, key.version ?? ""];
    // One promise for each request: four took 10 % of a cached page's time.
    return link.admit(`k:${key.id}`, values, timeOf?.nowMs()).then(
      (decision) => readDecision(watch, decision, { perMinute, perDay }, generation),
      // The link has reported the reason.
      () => askAlone(key, isCharged),
    );
  };
}

/** `generation` is the one in which the question was asked. */
function readDecision(
  watch: VersionWatch,
  { nowMs, pets, reply, before }: Decision,
  limits: KeyLimits,
  generation: number,
): Admission {
  const [, verdict, minuteStartMs, minuteUsed, dayStartMs, dayUsed, banEndMs, version] = reply;
  const counts = {
    minute: { startMs: minuteStartMs, used: minuteUsed + before },
    day: { startMs: dayStartMs, used: dayUsed + before },
    banEndMs,
  };
  const admission = viewAdmission(counts, limits, nowMs, verdict as Verdict);
  const isCurrent = generation === watch.generation;
  if (isCurrent) watch.noteRedisKeyVersion(version);
  // Without the version of the animals, or with one from before an outage, no page is cached.
  if (pets !== undefined && isCurrent) {
    watch.notePetsVersion(pets);
    admission.versions = { pets: generation + watch.pets, key: version };
  } else if (verdict === "stale") admission.versions = { pets: 0, key: version };
  return admission;
}

/** The key with the share of its limits that this node may admit while Redis is away. */
function shareOf(key: ApiKey, nodes: number): ApiKey {
  const { perMinute, perDay } = limitsOf(key);
  const share = (limit: number) => Math.max(1, Math.floor(limit / nodes));
  return { ...key, perMinute: share(perMinute), perDay: perDay && share(perDay) };
}

/** Copies counts from a database to Redis. Rejects if Redis does not store them. */
export async function storeCounts(
  { prefix, ...target }: RedisTarget & Pick<RedisGateOptions, "prefix">,
  counts: ReadonlyMap<bigint, KeyCounts>,
): Promise<void> {
  let reason = "no answer in time";
  const link = openRedis({ ...target, timeoutMs: STORE_TIMEOUT_MS, prefix }, (change) => {
    reason = change.reason ?? reason;
  });
  try {
    await link.opened();
    if (link.servers().some(({ isAway }) => isAway))
      throw new OperatorError(
        `Redis cannot be used: ${reason}. Check REDIS_URL, or unset it to leave the counts out.`,
      );
    for (const [id, { minute, day, refusals, ban }] of counts) {
      await link.store(`k:${id}`, {
        ms: minute.startMs,
        mu: minute.used,
        ds: day.startMs,
        du: day.used,
        rs: refusals.startMs,
        ru: refusals.used,
        bs: ban.startMs,
        be: ban.endMs,
        bn: ban.number,
      });
    }
  } finally {
    await link.close();
  }
}
