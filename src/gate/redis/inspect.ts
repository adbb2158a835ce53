// Inspection of Redis or Valkey for the doctor: version, eviction policy, and whether writes and scripts work.

import { Cluster, Redis } from "ioredis";
import { parseSentinelUrl } from "../../tools/sentinel-url.ts";
import { type RedisTarget, slotOf } from "./client.ts";
import { findMaster, type RedisRole, readReplicas } from "./inspect-sentinels.ts";
import { reasonOf } from "./reasons.ts";
import { optionsOf, type SentinelOptions } from "./sentinels.ts";

const WAIT_MS = 2_000;
const OPTIONS = { connectTimeout: WAIT_MS, commandTimeout: WAIT_MS, maxRetriesPerRequest: 0 };
const ONCE = { lazyConnect: true, retryStrategy: () => null };
const KEPT_MS = 1_000;
/** Counts expire, so volatile-ttl deletes first those that end soonest. Some hosts do not report the policy. */
const SAFE_POLICIES = ["noeviction", "volatile-ttl", "unknown"];
/** Writes and reads, like the script of admission. */
const TEST_SCRIPT = "redis.call('SET', KEYS[1], 'x', 'PX', ARGV[1]); return redis.call('GET', KEYS[1])";

export interface RedisInspection {
  /** "Redis 7.0.15", or "Valkey 8.0.1". */
  server: string;
  policy: string;
  /** Whether this policy may delete counts that are in use. */
  mayEvict: boolean;
  /** With Sentinels: the master, its replicas and the Sentinels. */
  roles?: RedisRole[];
}

/** Rejects with the reason if a server, or one master of a cluster, cannot be used. Leaves no key in Redis. */
export async function inspectRedisServer(target: RedisTarget, prefix: string): Promise<RedisInspection> {
  const { url } = target;
  const addresses = url.split(",");
  const name = `${prefix}:doctor`;
  const sentinel = parseSentinelUrl(url);
  if (sentinel !== undefined)
    return inspectWithSentinels({ ...sentinel, sentinelPassword: target.sentinelPassword }, name);
  if (addresses.length > 1) return inspectCluster(addresses, name);
  const client = createClient(url);
  return connected(client, async () => {
    await client.ping();
    await refuseClusterMember(client);
    return inspectServer(client, name);
  });
}

function createClient(url: string): Redis {
  return new Redis(url, { ...OPTIONS, ...ONCE });
}

async function inspectWithSentinels(options: SentinelOptions, name: string): Promise<RedisInspection> {
  const { master, sentinels } = await findMaster(options);
  const client = new Redis({
    ...OPTIONS,
    ...ONCE,
    ...optionsOf(options, master),
  });
  try {
    return await connected(client, async () => {
      const found = await inspectServer(client, name);
      const replicas = readReplicas(await client.info("replication"));
      return {
        ...found,
        roles: [{ host: master, role: "master", isSentinel: false }, ...replicas, ...sentinels],
      };
    });
  } catch (error) {
    throw new Error(`the master is ${master}: ${(error as Error).message}`);
  }
}

/** It redirects the keys of the other servers, which a client of one server does not follow. */
async function refuseClusterMember(client: Redis): Promise<void> {
  if (field(await client.info("cluster"), "cluster_enabled") !== "1") return;
  const servers = Number(field(String(await client.cluster("INFO")), "cluster_size"));
  if (servers > 1) throw new Error(`It is one of ${servers} servers of a cluster`);
}

async function inspectCluster(addresses: string[], name: string): Promise<RedisInspection> {
  const cluster = new Cluster(addresses, {
    lazyConnect: true,
    // The ready check would hide which server of the cluster is missing.
    enableReadyCheck: false,
    clusterRetryStrategy: () => null,
    redisOptions: OPTIONS,
  });
  const inspecting = connected(cluster, async () => {
    const masters = cluster.nodes("master");
    // All of them first: if one is missing, the others refuse scripts.
    await Promise.all(masters.map((master) => named(master, () => master.ping())));
    const found: RedisInspection[] = [];
    for (const master of masters) {
      const key = keyAt(cluster, addressOf(master), name);
      // A master without slots holds no keys.
      if (key !== undefined) found.push(await named(master, () => inspectServer(master, key)));
    }
    const [first] = found;
    if (first === undefined) throw new Error("No server of the cluster has slots");
    return found.find(({ mayEvict }) => mayEvict) ?? first;
  });
  return inspecting.catch(async (error) => {
    await Promise.all(addresses.map(pingServer));
    throw error;
  });
}

/** Rejects with the reason of this server: a cluster without connection reports only that it is closed. */
async function pingServer(url: string): Promise<void> {
  const client = createClient(url);
  await named(client, () => connected(client, () => client.ping()));
}

/** Runs `work` with a client that is connected, and closes it. */
async function connected<T>(client: Redis | Cluster, work: () => Promise<T>): Promise<T> {
  const failureOf = noteFailure(client);
  try {
    await client.connect();
    return await work();
  } catch (error) {
    throw new Error(reasonOf(error, failureOf()));
  } finally {
    client.disconnect();
  }
}

function noteFailure(client: Redis | Cluster): () => Error | undefined {
  let failure: Error | undefined;
  client.on("error", (error: Error) => {
    failure ??= error;
  });
  return () => failure;
}

/** Puts the address of the server before the message of a failure. */
async function named<T>(master: Redis, work: () => Promise<T>): Promise<T> {
  const failureOf = noteFailure(master);
  return work().catch((error: Error) => {
    throw new Error(`${addressOf(master)}: ${reasonOf(error, failureOf())}`);
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
  const policy = field(info, "maxmemory_policy") ?? "unknown";
  return { server: nameServer(info), policy, mayEvict: !SAFE_POLICIES.includes(policy) };
}

function nameServer(info: string): string {
  const valkey = field(info, "valkey_version");
  return valkey === undefined ? `Redis ${field(info, "redis_version") ?? "unknown"}` : `Valkey ${valkey}`;
}

function field(info: string, name: string): string | undefined {
  const line = info.split("\r\n").find((each) => each.startsWith(`${name}:`));
  return line?.slice(name.length + 1);
}
