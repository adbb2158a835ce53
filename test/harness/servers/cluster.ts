// A Redis Cluster for tests: three servers that share the slots.

import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { type RedisServer, startRedis } from "./redis.ts";

const RANGES = [
  ["0", "5460"],
  ["5461", "10922"],
  ["10923", "16383"],
] as const;

/** `flags` go to each server in addition to the flags of a cluster. */
export async function startCluster(t: TestContext, ...flags: string[]): Promise<RedisServer[]> {
  const all = ["--cluster-enabled", "yes", "--cluster-node-timeout", "2000", ...flags];
  const servers = await Promise.all(RANGES.map(() => startRedis(t, ...all)));
  for (const [index, server] of servers.entries()) {
    const [from, to] = RANGES[index] as (typeof RANGES)[number];
    assert.match(await server.command("CLUSTER", "ADDSLOTSRANGE", from, to), /^\+OK/);
    if (index > 0) await server.command("CLUSTER", "MEET", "127.0.0.1", String(servers[0]?.port));
  }
  for (const server of servers) {
    while (!(await server.command("CLUSTER", "INFO")).includes("cluster_state:ok")) await pause(50);
    while (!(await server.command("CLUSTER", "INFO")).includes("cluster_known_nodes:3")) await pause(50);
  }
  return servers;
}

/** The server of the key, as reported by the cluster. */
export async function serverOf(servers: RedisServer[], key: string): Promise<RedisServer> {
  const reply = await (servers[0] as RedisServer).command("CLUSTER", "KEYSLOT", key);
  const slot = Number(reply.slice(1));
  return servers[RANGES.findIndex(([from, to]) => slot >= Number(from) && slot <= Number(to))] as RedisServer;
}
