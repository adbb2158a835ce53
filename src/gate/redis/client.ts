// Client for a single Redis or Valkey or a cluster: no queue, no retries, every wait bounded.

import { Cluster, Redis } from "ioredis";
import { ADMIT_SCRIPT, PUBLISH_SCRIPT } from "./script.ts";

export interface RedisClient {
  readonly isCluster: boolean;
  /** HOST:PORT of the configured servers, without a password. */
  readonly address: string;
  /** HOST:PORT of the server that holds the key; `address` while that is unknown. */
  serverOf(key: string): string;
  run(script: keyof typeof SCRIPTS, keys: string[], values: Array<string | number>): Promise<unknown[]>;
  get(key: string): Promise<string | null>;
  store(key: string, fields: Record<string, number>, keptMs: number): Promise<void>;
  onReady(listener: () => void): void;
  /** Called for failed connections; failed commands reject. */
  onError(listener: (error: Error) => void): void;
  close(): void;
}

const SCRIPTS = { admit: { lua: ADMIT_SCRIPT }, publish: { lua: PUBLISH_SCRIPT } };

const OPTIONS = {
  enableOfflineQueue: false,
  autoResendUnfulfilledCommands: false,
  maxRetriesPerRequest: 0,
  connectTimeout: 1_000,
  scripts: SCRIPTS,
  retryStrategy: (times: number) => Math.min(times * 50, 500),
};

/** Together much shorter than the timeout of a command. */
const CONNECTING_MS = 10;
const CONNECTING_TRIES = 3;

/** MOVED replies announce a moved key, unless the server that would send them is gone. */
const SLOTS_EVERY_MS = 1_000;
const SLOTS = 16_384;

/** Several URLs, separated by commas, are a cluster. */
export function openRedisClient(url: string, timeoutMs: number): RedisClient {
  const urls = url.split(",");
  const cluster = urls.length > 1 ? openCluster(urls, timeoutMs) : undefined;
  const client: Redis | Cluster = cluster ?? new Redis(url, { ...OPTIONS, commandTimeout: timeoutMs });
  const address = urls.map((each) => new URL(each).host).join(",");
  const commands = client as unknown as Record<
    string,
    (...args: Array<string | number>) => Promise<unknown[]>
  >;

  return {
    isCluster: cluster !== undefined,
    address,
    serverOf: (key) => cluster?.slots[slotOf(key)]?.[0] ?? address,
    run: (script, keys, values) =>
      (commands[script] as (typeof commands)[string])(keys.length, ...keys, ...values),
    get: (key) => client.get(key),
    async store(key, fields, keptMs) {
      await client.hset(key, fields);
      await client.pexpire(key, keptMs);
    },
    onReady: (listener) => void client.on("ready", listener),
    onError: (listener) => void client.on("error", listener),
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
