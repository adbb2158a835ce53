// Client for a single Redis or Valkey, for a cluster, or for the master that Sentinels name.

import { Cluster, Redis } from "ioredis";
import { parseSentinelUrl } from "../../tools/sentinel-url.ts";
import { createCommands, OPTIONS, type RedisClient } from "./commands.ts";
import { openSentinelClient } from "./sentinel-client.ts";

/** The address of Redis, as in the settings. */
export interface RedisTarget {
  /** Several URLs, separated by commas, are a cluster. */
  url: string;
  sentinelPassword?: string | undefined;
}

/** Together much shorter than the timeout of a command. */
const CONNECTING_MS = 10;
const CONNECTING_TRIES = 3;

/** MOVED replies announce a moved key, unless the server that would send them is gone. */
const SLOTS_EVERY_MS = 1_000;
const SLOTS = 16_384;

export function openRedisClient({ url, sentinelPassword }: RedisTarget, timeoutMs: number): RedisClient {
  const sentinel = parseSentinelUrl(url);
  if (sentinel !== undefined) return openSentinelClient({ ...sentinel, sentinelPassword, timeoutMs });
  const urls = url.split(",");
  const cluster = urls.length > 1 ? openCluster(urls, timeoutMs) : undefined;
  const client: Redis | Cluster = cluster ?? new Redis(url, { ...OPTIONS, commandTimeout: timeoutMs });
  const address = urls.map((each) => new URL(each).host).join(",");

  return {
    ...createCommands(client),
    kind: cluster === undefined ? "single" : "cluster",
    address,
    serverOf: (key) => cluster?.slots[slotOf(key)]?.[0] ?? address,
    sentinels: () => [],
    onReady: (listener) => void client.on("ready", listener),
    onError: (listener) => void client.on("error", listener),
    onMove: () => {},
    onSentinel: () => {},
    close: () => client.disconnect(),
  };
}

function openCluster(urls: string[], commandTimeout: number): Cluster {
  const { enableOfflineQueue, scripts, retryStrategy, ...redisOptions } = OPTIONS;
  const cluster = new Cluster(urls, {
    enableOfflineQueue,
    scripts,
    clusterRetryStrategy: retryStrategy,
    redisOptions: { ...redisOptions, commandTimeout },
    slotsRefreshInterval: SLOTS_EVERY_MS,
    // Gives a connection that is being opened a little time; 0 would mean no retry.
    retryDelayOnFailover: CONNECTING_MS,
    maxRedirections: CONNECTING_TRIES,
    retryDelayOnClusterDown: 0,
  });
  // Otherwise the first command for each server would find it unconnected.
  cluster.on("+node", (node: Redis) => void (node.status === "wait" && node.connect().catch(() => {})));
  return cluster;
}

/** The slot of a key in a Redis Cluster: CRC16 (XMODEM) of its name or of its hash tag, modulo 16,384. */
export function slotOf(key: string): number {
  const open = key.indexOf("{");
  const close = key.indexOf("}", open + 1);
  const hashed = open >= 0 && close > open + 1 ? key.slice(open + 1, close) : key;
  let crc = 0;
  for (const byte of Buffer.from(hashed)) {
    crc ^= byte << 8;
    for (let bit = 0; bit < 8; bit++) crc = crc & 0x8000 ? (crc << 1) ^ 0x1021 : crc << 1;
    crc &= 0xffff;
  }
  return crc % SLOTS;
}
