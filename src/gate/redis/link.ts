// The requests of the gate to Redis or Valkey, single or cluster: admissions and versions.

import { createBatch } from "../../tools/per-tick.ts";
import {
  type Connection,
  createAdmit,
  createPublishedVersion,
  type Decision,
  decide,
  type KnownVersions,
} from "./admissions.ts";
import { openRedisClient, type RedisTarget } from "./client.ts";
import type { RedisClient } from "./commands.ts";
import { type AdmitValues, KEPT_MS } from "./script.ts";
import { type RedisServer, type RedisServers, type StateChange, watchServers } from "./server-probes.ts";

const PUBLISHERS_MAX = 256;

/**
 * A probe runs the script of admission with a write, because a replica, a full server, or one that refuses scripts would
 * still answer PING. It is never refused, and charged to a hash that nothing else uses.
 */
const PROBE_VALUES: AdmitValues = [1_000_000_000, 1_000_000_000, 0, 1, ""];

/** Keys are names without the prefix. */
export interface RedisLink {
  /** Runs the script of admission, at `nowMs` or by the clock of Redis. Rejects at once while the key's server is away. */
  admit(key: string, values: AdmitValues, nowMs?: number): Promise<Decision>;
  /** Publishes the version of the animals that this node knows. */
  publishPets(): Promise<void>;
  /** Resolves to the version of the animals in Redis; undefined while its server is away. */
  readPets(): Promise<number | undefined>;
  publishKey(key: string, version: number): Promise<void>;
  store(key: string, fields: Record<string, number>): Promise<void>;
  servers: RedisServers["states"];
  sentinels: RedisClient["sentinels"];
  readonly kind: RedisClient["kind"];
  /** Resolves when Redis can be used, or after a short wait. */
  opened(): Promise<void>;
  close(): Promise<void>;
}

interface LinkOptions extends RedisTarget {
  timeoutMs: number;
  prefix: string;
  /** The versions that this node knows; published before their server counts as available. */
  known?: () => KnownVersions;
}

/** Used by a command that only stores counts. */
const NO_VERSIONS: KnownVersions = { epoch: "", pets: 0 };

export function openRedis(options: LinkOptions, onStateChange: (change: StateChange) => void): RedisLink {
  const { timeoutMs, prefix, known = () => NO_VERSIONS } = options;
  const client = openRedisClient(options, timeoutMs);
  const name = (key: string) => `${prefix}:${key}`;
  const petsKey = () => name(`version:pets:${known().epoch}`);
  /** Whether the last probe has begun to publish. It does not include versions that are committed later. */
  let isPublishing = false;

  /** The hash tag puts the probe into the slot of the key that failed. */
  async function probe(server: RedisServer, hasVersions: boolean): Promise<void> {
    const key = name(`probe:{${hasVersions ? petsKey() : server.key}}`);
    if (hasVersions) isPublishing = false;
    await decide(connection, server, [{ key, values: PROBE_VALUES }], { isBound: false });
    if (!hasVersions || known().epoch === "") return;
    isPublishing = true;
    await publishKnownPets();
  }

  async function publishKnownPets(): Promise<void> {
    await client.run("publish", [petsKey()], [known().pets]);
  }

  const servers = watchServers({ client, versionsKey: petsKey, probe, onStateChange });
  const connection: Connection = { client, servers, timeoutMs, known, petsKey };
  const admit = createAdmit(connection);

  // Writes of one event-loop tick, for example of a group, share a command: each publishes the newest version.
  const publishTogether = createBatch<undefined, undefined>(PUBLISHERS_MAX, async (callers) => {
    const { breaker } = servers.of(petsKey());
    // A probe may make Redis available without this version: wait for it, then publish.
    if (breaker.isOpen() && isPublishing) await breaker.probe();
    await servers.run(petsKey(), publishKnownPets);
    return callers;
  });

  return {
    kind: client.kind,
    sentinels: client.sentinels,
    admit: (key, values, nowMs) => admit({ key: name(key), values, nowMs }),
    publishPets: () => publishTogether(undefined),
    readPets: createPublishedVersion(connection),
    async publishKey(key, version) {
      await servers.run(name(key), () => client.run("publish", [name(key)], [version, known().epoch]));
    },
    store: (key, fields) => servers.run(name(key), () => client.store(name(key), fields, KEPT_MS)),
    servers: servers.states,
    opened: servers.opened,
    async close() {
      servers.stop();
      client.close();
    },
  };
}
