// A look at Redis or Valkey for the doctor: does it answer, which version is it, may this service write and run scripts?

import { Cluster, Redis } from "ioredis";

const WAIT_MS = 2_000;
const KEPT_MS = 1_000;
/** Writes and reads, as the script of admission does. */
const TEST_SCRIPT = "redis.call('SET', KEYS[1], 'x', 'PX', ARGV[1]); return redis.call('GET', KEYS[1])";

export interface RedisInspection {
  /** "Redis 7.0.15", or "Valkey 8.0.1". */
  server: string;
  /** What Redis does when its memory is full. */
  policy: string;
}

/** Rejects with what Redis says, or with what keeps us from it. Leaves nothing behind. */
export async function inspectRedisServer(url: string, prefix: string): Promise<RedisInspection> {
  const addresses = url.split(",");
  const options = { connectTimeout: WAIT_MS, commandTimeout: WAIT_MS, maxRetriesPerRequest: 0 };
  const client =
    addresses.length > 1
      ? new Cluster(addresses, { lazyConnect: true, clusterRetryStrategy: () => null, redisOptions: options })
      : new Redis(url, { ...options, lazyConnect: true, retryStrategy: () => null });
  // The failed command says "Connection is closed."; the event says why.
  let reason: Error | undefined;
  client.on("error", (error: Error) => {
    reason ??= error;
  });
  try {
    await client.connect();
    await client.ping();
    const info = await client.info();
    const name = `${prefix}:doctor`;
    await client.eval(TEST_SCRIPT, 1, name, KEPT_MS);
    await client.del(name);
    return { server: nameServer(info), policy: field(info, "maxmemory_policy") ?? "unknown" };
  } catch (error) {
    throw reason ?? error;
  } finally {
    client.disconnect();
  }
}

function nameServer(info: string): string {
  const valkey = field(info, "valkey_version");
  return valkey === undefined ? `Redis ${field(info, "redis_version") ?? "unknown"}` : `Valkey ${valkey}`;
}

function field(info: string, name: string): string | undefined {
  return info
    .split("\r\n")
    .find((line) => line.startsWith(`${name}:`))
    ?.slice(name.length + 1);
}
