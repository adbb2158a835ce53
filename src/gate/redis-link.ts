// The connection to Redis or Valkey, single or cluster: nothing queued, nothing repeated, every wait bounded.

import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { Cluster, Redis } from "ioredis";
import { type Batch, createBatch } from "./batch.ts";
import { ADMIT_SCRIPT, type AdmitReply, type AdmitValues, KEPT_MS, RAISE_SCRIPT } from "./redis-script.ts";

const PROBE_MS = 250;
const HEARTBEAT_MS = 1_000;
const OPEN_MS = 1_500;
const OPEN_CHECK_MS = 5;
const NODE_LIFE_MS = 5_000;

const PROBE_KEY = "probe";
const PETS_VERSION = "version:pets";

/** With more in one journey, the node would wait for Redis and Redis for the node (a tenth less at 64). */
const ADMIT_MAX = 32;

type Reply = unknown[];

interface Decision {
  nowMs: number;
  /** The version of the animals. */
  pets: number;
  reply: AdmitReply;
}

export interface RedisLink {
  /** Runs the script of admission, at `nowMs` or by Redis' own time. Rejects at once while Redis is away. */
  admit(key: string, values: AdmitValues, nowMs?: number): Promise<Decision>;
  raisePets(): Promise<void>;
  raiseKey(key: string): Promise<void>;
  /** Sets fields of what is kept of a key. */
  store(key: string, fields: Record<string, number>): Promise<void>;
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
  /** Whether it serves requests, and so has a share of the limits while Redis is away. */
  isNode: boolean;
}

export function openRedis(options: LinkOptions, onStateChange: StateObserver): RedisLink {
  const { url, timeoutMs, prefix, isNode } = options;
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
    const transaction = client.multi();
    if (isNode) transaction.zadd(key, nowMs, nodeId);
    const replies = await transaction
      .zremrangebyscore(key, 0, nowMs - NODE_LIFE_MS)
      .zcard(key)
      .pexpire(key, NODE_LIFE_MS)
      .exec();
    const failed = replies?.find(([error]) => error !== null);
    if (failed?.[0]) throw failed[0];
    // The very script, too: where it may not run, or its keys lie apart, an answer to all else is of no use.
    await run("admit", isCluster ? [PROBE_KEY] : [PROBE_KEY, PETS_VERSION], [1, "", 1, 1, 0, 1, ""]);
    nodes = Math.max(1, Number(replies?.at(-2)?.[1] ?? 1));
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

  interface Question {
    key: string;
    values: AdmitValues;
    nowMs: number | undefined;
  }

  /** All requests of one turn of the event loop travel together; in a cluster their keys lie apart. */
  const batch: Batch<Question, Decision> = createBatch(ADMIT_MAX, async (questions) => {
    const keys = [...questions.map(({ key }) => key), PETS_VERSION];
    const values = questions.flatMap((question) => question.values);
    const time = questions[0]?.nowMs ?? "";
    const [nowMs, pets, ...replies] = await run("admit", keys, [questions.length, time, ...values]);
    return replies.map((reply) => ({
      nowMs: Number(nowMs),
      pets: Number(pets),
      reply: reply as AdmitReply,
    }));
  });

  async function admitInCluster({ key, values, nowMs: time }: Question): Promise<Decision> {
    // The version of the animals lives in a slot of its own: both are asked at the same time.
    const [[nowMs, , reply], pets] = await Promise.all([
      run("admit", [key], [1, time ?? "", ...values]),
      readPetsVersion(),
    ]);
    return { nowMs: Number(nowMs), pets: Number(pets), reply: reply as AdmitReply };
  }

  return {
    admit: (key, values, nowMs) => {
      const question = { key, values, nowMs };
      return guarded(() => (isCluster ? admitInCluster(question) : batch.ask(question)));
    },
    raisePets: () => guarded(async () => void (await run("raise", [PETS_VERSION], [""]))),
    raiseKey: (key) => guarded(async () => void (await run("raise", [key], ["v"]))),
    store: (key, fields) =>
      guarded(async () => {
        await client.hset(name(key), fields);
        await client.pexpire(name(key), KEPT_MS);
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

  function run(script: keyof typeof SCRIPTS, keys: string[], values: Array<string | number>): Promise<Reply> {
    const commands = client as unknown as Record<string, (...args: Array<string | number>) => Promise<Reply>>;
    return (commands[script] as (typeof commands)[string])(keys.length, ...keys.map(name), ...values);
  }

  async function readPetsVersion(): Promise<string> {
    const found = await client.get(name(PETS_VERSION));
    if (found !== null) return found;
    await run("raise", [PETS_VERSION], [""]);
    return (await client.get(name(PETS_VERSION))) ?? "0";
  }
}

const SCRIPTS = { admit: { lua: ADMIT_SCRIPT }, raise: { lua: RAISE_SCRIPT } };

const OPTIONS = {
  enableOfflineQueue: false,
  autoResendUnfulfilledCommands: false,
  maxRetriesPerRequest: 0,
  connectTimeout: 1_000,
  scripts: SCRIPTS,
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
