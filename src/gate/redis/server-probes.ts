// The servers of Redis, each with its own breaker and clock, and the probes of those that are away. A single Redis is one
// server, and so is each master that Sentinels have named.

import { setTimeout as pause } from "node:timers/promises";
import { createServerClock, type ServerClock } from "../../tools/server-clock.ts";
import { type Breaker, createBreaker } from "./breaker.ts";
import type { RedisClient } from "./commands.ts";
import { reasonOf } from "./reasons.ts";

const PROBE_MS = 250;
const HEARTBEAT_MS = 1_000;
const OPEN_MS = 1_500;
const OPEN_CHECK_MS = 5;

export interface StateChange {
  /** HOST:PORT */
  server: string;
  isAway: boolean;
  isSentinel: boolean;
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
  /** The servers that have been used so far. `server` is undefined for a master that no Sentinel has named. */
  states(): Array<{ server: string | undefined; isAway: boolean }>;
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
  const isCurrent = (server: RedisServer) => servers.get(server.name) === server;
  const reportState = createStateReports(options, isCurrent, hasVersions);

  function of(key: string): RedisServer {
    const name = client.serverOf(key);
    return servers.get(name) ?? add(name, key);
  }

  function add(name: string, key: string, isAway = false): RedisServer {
    // On the server of the versions, the known version must be published before it is used.
    const isOpen = hasVersions(name);
    const breaker = createBreaker({
      isOpen,
      probe: () => probe(server, hasVersions(name)),
      onChange: (isAway, error) => reportState(server, isAway, error),
    });
    const server: RedisServer = { name, breaker, clock: createServerClock(), key, isAway };
    servers.set(name, server);
    if (isOpen) void breaker.probe();
    return server;
  }

  /**
   * Sentinels have named another master. It may lack versions and counts: it has a breaker and a clock of its own, and
   * counts as available after its first probe, which publishes the known version.
   */
  client.onMove((from, to) => {
    const before = servers.get(from);
    servers.delete(from);
    const isLeft = before !== undefined && !before.isAway && !before.breaker.isOpen();
    if (isLeft)
      options.onStateChange({
        server: from,
        isAway: true,
        isSentinel: false,
        hasVersions: true,
        reason: `Sentinel names another master, ${to}`,
      });
    add(to, before?.key ?? versionsKey(), isLeft || before?.isAway);
  });

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
    states: () =>
      [...servers.values()].map(({ name, breaker }) => ({
        server: client.kind === "sentinel" && name === client.address ? undefined : name,
        isAway: breaker.isOpen(),
      })),
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
  isCurrent: (server: RedisServer) => boolean,
  hasVersions: (server: string) => boolean,
) {
  let lastError: unknown;
  client.onReady(() => {
    lastError = undefined;
  });
  client.onError((error) => {
    lastError = error;
  });
  client.onSentinel(({ server, reason }) => {
    const change = { server, isAway: reason !== undefined, isSentinel: true, hasVersions: false };
    onStateChange(reason === undefined ? change : { ...change, reason });
  });
  return (server: RedisServer, isAway: boolean, error = lastError): void => {
    // Also called for a server that was available from the start, and late for one that is no longer the master.
    if (server.isAway === isAway || !isCurrent(server)) return;
    server.isAway = isAway;
    const change = { server: server.name, isAway, isSentinel: false, hasVersions: hasVersions(server.name) };
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
