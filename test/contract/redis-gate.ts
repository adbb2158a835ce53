// A gate on its own Redis, reached through a proxy, with a database that the test controls.

import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import type { KeyVersion, VersionStore } from "../../src/domain/basics/versions.ts";
import { createRedisGate } from "../../src/gate/redis/gate.ts";
import type { StateChange } from "../../src/gate/redis/server-probes.ts";
import { createClock, type ManualClock } from "../harness/servers/app.ts";
import { startProxy } from "../harness/servers/proxy.ts";
import { startRedis } from "../harness/servers/redis.ts";

interface GateOptions {
  clock?: ManualClock;
  timeOf?: ManualClock;
  isNode?: boolean;
  timeoutMs?: number;
}

/** Stands for the database. Its numbers may be set to anything. */
export function createVersions() {
  const stored = { epoch: "one", pets: 5, keys: 0 };
  const changed: KeyVersion[] = [];
  const reading = { count: 0, hold: Promise.resolve() };
  const store: VersionStore = {
    async read() {
      reading.count += 1;
      const snapshot = { ...stored };
      await reading.hold;
      return snapshot;
    },
    listChangedKeys: async (version, limit) =>
      changed
        .filter((each) => each.version > version)
        .sort((a, b) => a.version - b.version)
        .slice(0, limit),
    renewEpoch: async (epoch) => {
      if (stored.epoch === epoch) stored.epoch = `after ${epoch}`;
    },
  };
  return { stored, changed, reading, store };
}

/** `timeOf` replaces the clock of Redis. Only a node reads the database repeatedly. */
export async function openRedisGate(
  t: TestContext,
  { clock = createClock(Date.now()), timeOf, isNode = false, timeoutMs = 5_000 }: GateOptions = {},
) {
  const redis = await startRedis(t);
  const proxy = await startProxy(t, redis.port);
  const database = createVersions();
  const nodes = { count: 1, beats: 0, left: 0 };
  const changes: StateChange[] = [];
  const options = {
    url: `redis://127.0.0.1:${proxy.port}`,
    prefix: "test",
    isNode,
    timeoutMs,
    clock,
    timeOf,
    versions: database.store,
    nodes: {
      async beat() {
        nodes.beats += 1;
        return nodes.count;
      },
      async leave() {
        nodes.left += 1;
      },
    },
    onStateChange: (change: StateChange) => void changes.push(change),
    onWatchError: (error: unknown) => assert.fail(String(error)),
  };
  const gate = await createRedisGate(options);
  t.after(() => gate.close());
  return { redis, proxy, gate, database, nodes, changes };
}
