// The servers of Redis, each with its own breaker and clock; a single Redis is one server.

import { setTimeout as pause } from "node:timers/promises";
import { createServerClock, type ServerClock } from "../../tools/server-clock.ts";
import { type Breaker, createBreaker } from "./breaker.ts";
import type { RedisClient } from "./client.ts";
import { reasonOf } from "./reasons.ts";

const PROBE_MS = 250;
const HEARTBEAT_MS = 1_000;
const OPEN_MS = 1_500;
const OPEN_CHECK_MS = 5;

export interface StateChange {
  /** HOST:PORT */
  server: string;
  isAway: boolean;
  /** Whether it is the server that holds the version of the animals. */
  hasVersions: boolean;
  /** Why it is away, without the command: AUTH contains the password. */
  reason?: string;
}

export interface RedisServer {
  name: string;
  breaker: Breaker;
  clock: ServerClock;
  /** The key that failed last: a probe asks in the same slot. */
  key: string;
  /** The state reported last. */
  isAway: boolean;
}

/** Keys are full names here. */
export interface RedisServers {
  of(key: string): RedisServer;
  /** Runs a command on the server of the key; rejects at once while it is away. */
  run<T>(key: string, command: (server: RedisServer) => Promise<T>): Promise<T>;
  away(): string[];
  /** Resolves when the server of the versions can be used, or after a short wait. */
  opened(): Promise<void>;
  stop(): void;
}

interface ServersOptions {
  client: RedisClient;
  versionsKey: () => string;
  /** Resolves when the server can be used. */
  probe: (server: RedisServer, hasVersions: boolean) => Promise<void>;
  onStateChange: (change: StateChange) => void;
}

export function watchServers(options: ServersOptions): RedisServers {
  const { client, versionsKey, probe } = options;
  const servers = new Map<string, RedisServer>();
  const hasVersions = (name: string) => client.serverOf(versionsKey()) === name;
  const ofVersions = () => of(versionsKey());
  const reportState = createStateReports(options, hasVersions);

  function of(key: string): RedisServer {
    const name = client.serverOf(key);
    return servers.get(name) ?? add(name, key);
  }

  function add(name: string, key: string): RedisServer {
    // On the server of the versions, the known version must be published before it is used.
    const isOpen = hasVersions(name);
    const breaker = createBreaker({
      isOpen,
      probe: () => probe(server, hasVersions(name)),
      onChange: (isAway, error) => reportState(server, isAway, error),
    });
    const server: RedisServer = { name, breaker, clock: createServerClock(), key, isAway: false };
    servers.set(name, server);
    if (isOpen) void breaker.probe();
    return server;
  }

  return {
    of,
    async run(key, command) {
      const server = of(key);
      try {
        return await server.breaker.run(() => command(server));
      } catch (error) {
        server.key = key;
        throw error;
      }
    },
    away: () => [...servers.values()].filter(({ breaker }) => breaker.isOpen()).map(({ name }) => name),
    async opened() {
      const endMs = performance.now() + OPEN_MS;
      while (ofVersions().breaker.isOpen() && performance.now() < endMs) await pause(OPEN_CHECK_MS);
      if (ofVersions().breaker.isOpen()) reportState(ofVersions(), true);
    },
    stop: startProbes(servers, ofVersions, client),
  };
}

/** The returned function reports a state that is not the one reported last; the reason may be a failed connection. */
function createStateReports(
  { client, onStateChange }: ServersOptions,
  hasVersions: (server: string) => boolean,
) {
  let lastError: unknown;
  client.onReady(() => {
    lastError = undefined;
  });
  client.onError((error) => {
    lastError = error;
  });
  return (server: RedisServer, isAway: boolean, error = lastError): void => {
    // Also called for a server that was available from the start.
    if (server.isAway === isAway) return;
    server.isAway = isAway;
    const change = { server: server.name, isAway, hasVersions: hasVersions(server.name) };
    onStateChange(isAway ? { ...change, reason: reasonOf(error, lastError) } : change);
  };
}

/** Probes servers that are away, and the server of the versions also while there are no requests. */
function startProbes(
  servers: Map<string, RedisServer>,
  ofVersions: () => RedisServer,
  client: RedisClient,
): () => void {
  let lastBeatMs = 0;

  function probe(): void {
    const isBeat = performance.now() - lastBeatMs >= HEARTBEAT_MS;
    if (isBeat) lastBeatMs = performance.now();
    const current = ofVersions();
    for (const server of servers.values())
      if (server.breaker.isOpen() || (isBeat && server === current)) void server.breaker.probe();
  }

  client.onReady(probe);
  const timer = setInterval(probe, PROBE_MS).unref();
  return () => clearInterval(timer);
}
