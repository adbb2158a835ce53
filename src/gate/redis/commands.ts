// What every client of Redis offers, and the options of its connections: no queue, no retries, every wait bounded.

import type { Cluster, Redis } from "ioredis";
import { ADMIT_SCRIPT, PUBLISH_SCRIPT } from "./script.ts";
import type { SentinelState } from "./sentinels.ts";

interface RedisCommands {
  run(script: keyof typeof SCRIPTS, keys: string[], values: Array<string | number>): Promise<unknown[]>;
  get(key: string): Promise<string | null>;
  store(key: string, fields: Record<string, number>, keptMs: number): Promise<void>;
}

export interface RedisClient extends RedisCommands {
  readonly kind: "single" | "cluster" | "sentinel";
  /** HOST:PORT of the configured servers, without a password. */
  readonly address: string;
  /** HOST:PORT of the server that holds the key; `address` while that is unknown. */
  serverOf(key: string): string;
  /** Empty without Sentinels. */
  sentinels(): SentinelState[];
  onReady(listener: () => void): void;
  /** Called for failed connections; failed commands reject. */
  onError(listener: (error: Error) => void): void;
  /** Called after commands have begun to go to another master. */
  onMove(listener: (from: string, to: string) => void): void;
  /** Called when a Sentinel stops answering, or answers again. */
  onSentinel(listener: (state: SentinelState) => void): void;
  close(): void;
}

const SCRIPTS = { admit: { lua: ADMIT_SCRIPT }, publish: { lua: PUBLISH_SCRIPT } };

export const OPTIONS = {
  enableOfflineQueue: false,
  autoResendUnfulfilledCommands: false,
  maxRetriesPerRequest: 0,
  connectTimeout: 1_000,
  scripts: SCRIPTS,
  retryStrategy: (times: number) => Math.min(times * 50, 500),
};

export function createCommands(client: Redis | Cluster): RedisCommands {
  const scripts = client as unknown as Record<
    string,
    (...args: Array<string | number>) => Promise<unknown[]>
  >;
  return {
    run: (script, keys, values) =>
      (scripts[script] as (typeof scripts)[string])(keys.length, ...keys, ...values),
    get: (key) => client.get(key),
    async store(key, fields, keptMs) {
      await client.hset(key, fields);
      await client.pexpire(key, keptMs);
    },
  };
}
