// Inspection of Redis or Valkey for the doctor: version, eviction policy, and whether writes and scripts work.

import { Cluster, Redis } from "ioredis";
import { slotOf } from "./client.ts";

const WAIT_MS = 2_000;
const OPTIONS = { connectTimeout: WAIT_MS, commandTimeout: WAIT_MS, maxRetriesPerRequest: 0 };
const KEPT_MS = 1_000;
/** Writes and reads, like the script of admission. */
const TEST_SCRIPT = "redis.call('SET', KEYS[1], 'x', 'PX', ARGV[1]); return redis.call('GET', KEYS[1])";

export interface RedisInspection {
  /** "Redis 7.0.15", or "Valkey 8.0.1". */
  server: string;
  /** The eviction policy. */
  policy: string;
}

/** Rejects with the reason if a server, or one master of a cluster, cannot be used. Leaves no key behind. */
export async function inspectRedisServer(url: string, prefix: string): Promise<RedisInspection> {
  const addresses = url.split(",");
  const name = `${prefix}:doctor`;
  if (addresses.length > 1) return inspectCluster(addresses, name);
  const client = new Redis(url, { ...OPTIONS, lazyConnect: true, retryStrategy: () => null });
  return connected(client, async () => {
    await client.ping();
    return inspectServer(client, name);
  });
}

async function inspectCluster(addresses: string[], name: string): Promise<RedisInspection> {
  const cluster = new Cluster(addresses, {
    lazyConnect: true,
    // The ready check would hide which server of the cluster is missing.
    enableReadyCheck: false,
    clusterRetryStrategy: () => null,
    redisOptions: OPTIONS,
  });
  return connected(cluster, async () => {
    const masters = cluster.nodes("master");
    // All of them first: if one is missing, the others refuse scripts.
    for (const master of masters) await named(master, () => master.ping());
    const found: RedisInspection[] = [];
    for (const master of masters) {
      const key = keyAt(cluster, addressOf(master), name);
      // A master without slots holds no keys.
      if (key !== undefined) found.push(await named(master, () => inspectServer(master, key)));
    }
    const server = found.find(({ policy }) => policy.startsWith("allkeys")) ?? found[0];
    if (server === undefined) throw new Error("No server of the cluster has slots");
    return server;
  });
}

/** Runs `work` with a client that is connected, and closes it. */
async function connected<T>(client: Redis | Cluster, work: () => Promise<T>): Promise<T> {
  const reasonOf = noteReason(client);
  try {
    await client.connect();
    return await work();
  } catch (error) {
    throw reasonOf() ?? error;
  } finally {
    client.disconnect();
  }
}

/** A failed command reports only "Connection is closed."; the event has the reason. */
function noteReason(client: Redis | Cluster): () => Error | undefined {
  let reason: Error | undefined;
  client.on("error", (error: Error) => {
    reason ??= error;
  });
  return () => reason;
}

/** Puts the address of the server before the message of a failure. */
async function named<T>(master: Redis, work: () => Promise<T>): Promise<T> {
  const reasonOf = noteReason(master);
  return work().catch((error: Error) => {
    throw new Error(`${addressOf(master)}: ${(reasonOf() ?? error).message}`);
  });
}

function addressOf({ options: { host, port } }: Redis): string {
  return `${host}:${port}`;
}

/** A key in one of the slots of the server; undefined if it has none. */
function keyAt(cluster: Cluster, address: string, name: string): string | undefined {
  if (!cluster.slots.some((servers) => servers?.[0] === address)) return undefined;
  for (let number = 0; ; number++) {
    const key = `${name}:${number}`;
    if (cluster.slots[slotOf(key)]?.[0] === address) return key;
  }
}

async function inspectServer(client: Redis, name: string): Promise<RedisInspection> {
  const info = await client.info();
  await client.eval(TEST_SCRIPT, 1, name, KEPT_MS);
  await client.del(name);
  return { server: nameServer(info), policy: field(info, "maxmemory_policy") ?? "unknown" };
}

function nameServer(info: string): string {
  const valkey = field(info, "valkey_version");
  return valkey === undefined ? `Redis ${field(info, "redis_version") ?? "unknown"}` : `Valkey ${valkey}`;
}

function field(info: string, name: string): string | undefined {
  const line = info.split("\r\n").find((each) => each.startsWith(`${name}:`));
  return line?.slice(name.length + 1);
}
