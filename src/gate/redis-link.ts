// The connection to Redis or Valkey, single or cluster: nothing queued, nothing repeated, every wait bounded.

import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { Cluster, Redis } from "ioredis";
import { ADMIT_SCRIPT } from "./redis-script.ts";

const PROBE_MS = 250;
const HEARTBEAT_MS = 1_000;
const OPEN_MS = 1_500;
const OPEN_CHECK_MS = 5;
const NODE_LIFE_MS = 5_000;

/** Its place among the values of the script. */
const EXPECTED_VERSION = 4;

type Reply = Array<string | number>;

export interface RedisLink {
  /** Runs the script of admission. Rejects at once while Redis is away. */
  admit(countsKey: string, versionKeys: string[], values: Array<string | number>): Promise<Reply>;
  increment(key: string): Promise<void>;
  /** How many nodes were seen last, this one included. */
  nodes(): number;
  isAway(): boolean;
  /** Resolves when Redis has answered, or after a short wait in vain. */
  opened(): Promise<void>;
  close(): Promise<void>;
}

type StateObserver = (isAway: boolean, error?: unknown) => void;

interface LinkOptions {
  /** Several addresses, separated by commas, are a cluster. */
  url: string;
  timeoutMs: number;
  prefix: string;
}

export function openRedis({ url, timeoutMs, prefix }: LinkOptions, onStateChange: StateObserver): RedisLink {
  const isCluster = url.includes(",");
  const client = isCluster ? openCluster(url, timeoutMs) : openSingle(url, timeoutMs);
  const name = (key: string) => `${prefix}:${key}`;
  const nodeId = randomUUID();
  let isAway = true;
  let nodes = 1;
  // Whoever waits for the state to change hears of errors through the commands that fail.
  client.on("error", () => {});

  function setAway(wanted: boolean, error?: unknown): void {
    if (isAway === wanted) return;
    isAway = wanted;
    onStateChange(wanted, error);
  }

  async function guarded<T>(command: () => Promise<T>): Promise<T> {
    if (isAway) throw new Error("Redis is away");
    try {
      return await command();
    } catch (error) {
      setAway(true, error);
      throw error;
    }
  }

  /** A write and not a mere PING: a replica, or a server without memory, answers but is of no use. */
  async function probe(): Promise<void> {
    const nowMs = Date.now();
    const key = name("nodes");
    const replies = await client
      .multi()
      .zadd(key, nowMs, nodeId)
      .zremrangebyscore(key, 0, nowMs - NODE_LIFE_MS)
      .zcard(key)
      .pexpire(key, NODE_LIFE_MS)
      .exec();
    const failed = replies?.find(([error]) => error !== null);
    if (failed?.[0]) throw failed[0];
    nodes = Math.max(1, Number(replies?.[2]?.[1] ?? 1));
  }

  let lastBeatMs = 0;
  async function watch(): Promise<void> {
    if (!isAway && performance.now() - lastBeatMs < HEARTBEAT_MS) return;
    lastBeatMs = performance.now();
    try {
      await probe();
      setAway(false);
    } catch (error) {
      setAway(true, error);
    }
  }
  const timer = setInterval(() => void watch(), PROBE_MS).unref();
  client.on("ready", () => void watch());

  return {
    admit: (countsKey, versionKeys, values) =>
      guarded(async () => {
        if (!isCluster) return run([countsKey, ...versionKeys], values);
        // The counters live in a slot of their own: both are asked at the same time.
        const expected = values[EXPECTED_VERSION];
        const unversioned = values.with(EXPECTED_VERSION, "");
        const [reply, versions] = await Promise.all([
          run([countsKey], unversioned),
          readVersions(versionKeys),
        ]);
        // Here the charge has happened already when a change of keys is noticed: one request of one key, once.
        const isStale = expected !== "" && Number(expected) !== Number(versions[1]);
        return [isStale ? "stale" : (reply[0] ?? ""), ...reply.slice(1, 7), ...versions];
      }),
    increment: (key) =>
      guarded(async () => {
        await readVersions([key]);
        await client.incr(name(key));
      }),
    nodes: () => nodes,
    isAway: () => isAway,
    async opened() {
      const endMs = performance.now() + OPEN_MS;
      while (isAway && performance.now() < endMs) await pause(OPEN_CHECK_MS);
    },
    async close() {
      clearInterval(timer);
      await client.zrem(name("nodes"), nodeId).catch(() => {});
      client.disconnect();
    },
  };

  function run(keys: string[], values: Array<string | number>): Promise<Reply> {
    const command = client as unknown as { admit(...args: Array<string | number>): Promise<Reply> };
    return command.admit(keys.length, ...keys.map(name), ...values);
  }

  /** A counter that is gone goes on above all it can have been, as in the script. */
  async function readVersions(keys: string[]): Promise<string[]> {
    const found = await client.mget(...keys.map(name));
    return Promise.all(
      found.map(async (value, index) => {
        if (value !== null) return value;
        const key = name(keys[index] ?? "");
        await client.set(key, String(Date.now() * 1000), "NX");
        return (await client.get(key)) ?? "0";
      }),
    );
  }
}

const OPTIONS = {
  enableOfflineQueue: false,
  autoResendUnfulfilledCommands: false,
  maxRetriesPerRequest: 0,
  connectTimeout: 1_000,
  scripts: { admit: { lua: ADMIT_SCRIPT } },
  retryStrategy: (times: number) => Math.min(times * 50, 500),
};

function openSingle(url: string, commandTimeout: number): Redis {
  return new Redis(url, { ...OPTIONS, commandTimeout });
}

function openCluster(url: string, commandTimeout: number): Cluster {
  const { enableOfflineQueue, scripts, retryStrategy, ...redisOptions } = OPTIONS;
  return new Cluster(url.split(","), {
    enableOfflineQueue,
    scripts,
    clusterRetryStrategy: retryStrategy,
    redisOptions: { ...redisOptions, commandTimeout },
  });
}
