// The servers of Redis behind the gate, each with a breaker and a clock of its own; a single Redis is one of them.

import { setTimeout as pause } from "node:timers/promises";
import { type Batch, createBatch } from "./batch.ts";
import { type Breaker, createBreaker } from "./breaker.ts";
import { openRedisClient } from "./redis-client.ts";
import { type AdmitHead, type AdmitReply, type AdmitValues, KEPT_MS } from "./redis-script.ts";
import { createServerClock, type ServerClock } from "./server-clock.ts";

const PROBE_MS = 250;
const HEARTBEAT_MS = 1_000;
const OPEN_MS = 1_500;
const OPEN_CHECK_MS = 5;

/** With more in one journey, the node would wait for Redis and Redis for the node (a tenth less at 64). */
const ADMIT_MAX = 32;

/** The part of the time-out by which Redis must have begun; the rest is for the way back. */
const BEGIN_SHARE = 0.8;

/** Of a probe: never refused, and charged to a hash that nothing else uses. */
const PROBE_VALUES: AdmitValues = [1_000_000_000, 1_000_000_000, 0, 1, ""];

interface Decision {
  nowMs: number;
  /** The version of the animals; absent where its server is away. */
  pets: number | undefined;
  reply: AdmitReply;
}

export interface StateChange {
  /** HOST:PORT */
  server: string;
  isAway: boolean;
  /** Whether it is the server that holds the version of the animals. */
  hasVersions: boolean;
  error?: unknown;
}

export interface RedisLink {
  /** Runs the script of admission, at `nowMs` or by Redis' own time. Rejects at once while the key's server is away. */
  admit(key: string, values: AdmitValues, nowMs?: number): Promise<Decision>;
  /** Publishes the version of the animals that `known` gives. */
  publishPets(): Promise<void>;
  publishKey(key: string, version: number): Promise<void>;
  /** Sets fields of what is kept of a key. */
  store(key: string, fields: Record<string, number>): Promise<void>;
  /** The servers that are away. */
  away(): string[];
  readonly isCluster: boolean;
  /** Resolves when Redis has answered, or after a short wait in vain. */
  opened(): Promise<void>;
  close(): Promise<void>;
}

interface LinkOptions {
  /** Several addresses, separated by commas, are a cluster. */
  url: string;
  timeoutMs: number;
  prefix: string;
  /** What this node knows of the versions; published before their server counts as available. */
  known?: () => KnownVersions;
}

interface KnownVersions {
  epoch: string;
  pets: number;
}

/** For a command that only stores counts. */
const NO_VERSIONS: KnownVersions = { epoch: "", pets: 0 };

interface Server {
  name: string;
  breaker: Breaker;
  clock: ServerClock;
  /** The key that failed last: a probe asks in the same slot. */
  key: string;
  /** What was told last; undefined before the first time. */
  isAway: boolean | undefined;
}

interface Question {
  key: string;
  values: AdmitValues;
  nowMs: number | undefined;
}

export function openRedis(options: LinkOptions, onStateChange: (change: StateChange) => void): RedisLink {
  const { url, timeoutMs, prefix, known = () => NO_VERSIONS } = options;
  const client = openRedisClient(url, timeoutMs);
  const { isCluster } = client;
  const servers = new Map<string, Server>();
  let lastError: unknown;
  client.onError((error) => {
    lastError = error;
  });

  const name = (key: string) => `${prefix}:${key}`;
  const petsKey = () => name(`version:pets:${known().epoch}`);
  const versionsServer = () => serverOf(petsKey());

  /** `key` is a full name. */
  function serverOf(key: string): Server {
    const address = client.serverOf(key);
    return servers.get(address) ?? addServer(address, key);
  }

  async function runFor<T>(key: string, command: (server: Server) => Promise<T>): Promise<T> {
    const server = serverOf(key);
    try {
      return await server.breaker.run(() => command(server));
    } catch (error) {
      server.key = key;
      throw error;
    }
  }

  function addServer(address: string, key: string): Server {
    // Where the versions are, what is owed must be published first.
    const isOpen = address === client.serverOf(petsKey());
    const breaker = createBreaker({
      isOpen,
      probe: () => probe(server),
      onChange: (isAway, error) => tell(server, isAway, error),
    });
    const server: Server = { name: address, breaker, clock: createServerClock(), key, isAway: undefined };
    servers.set(address, server);
    if (isOpen) void breaker.probe();
    return server;
  }

  function tell(server: Server, isAway: boolean, error?: unknown): void {
    // That it answers is worth telling once it did not.
    const isNews = isAway ? server.isAway !== true : server.isAway === true;
    server.isAway = isAway;
    if (!isNews) return;
    const hasVersions = client.serverOf(petsKey()) === server.name;
    onStateChange({ server: server.name, isAway, hasVersions, error });
  }

  /**
   * The very script, with a write: a replica, a server without memory, or one that may not run it answers a PING but is
   * of no use. The hash tag puts the name into the slot of the key that failed.
   */
  async function probe(server: Server): Promise<void> {
    const hasVersions = client.serverOf(petsKey()) === server.name;
    const key = name(`probe:{${hasVersions ? petsKey() : server.key}}`);
    await decide(server, [key], [{ key, values: PROBE_VALUES, nowMs: undefined }], false);
    if (hasVersions && known().epoch !== "") await publishKnownPets();
  }

  let lastBeatMs = 0;
  function watch(): void {
    const isBeat = performance.now() - lastBeatMs >= HEARTBEAT_MS;
    if (isBeat) lastBeatMs = performance.now();
    const current = versionsServer();
    for (const server of servers.values())
      if (server.breaker.isOpen() || (isBeat && server === current)) void server.breaker.probe();
  }
  const timer = setInterval(watch, PROBE_MS).unref();
  client.onReady(watch);

  /** Undefined where Redis came to it too late and has charged nothing. `keys` are full names. */
  async function decide(
    { clock }: Server,
    keys: string[],
    questions: Question[],
    isBound = true,
  ): Promise<Decision[] | undefined> {
    const { epoch, pets: knownPets } = known();
    const deadlineMs = isBound ? clock.at(performance.now() + timeoutMs * BEGIN_SHARE) : undefined;
    const head: AdmitHead = [questions.length, questions[0]?.nowMs ?? "", deadlineMs ?? "", epoch, knownPets];
    const values = questions.flatMap((question) => question.values);
    const reply = await client.run("admit", keys, [...head, ...values]);
    const [ownMs, nowMs, pets, ...replies] = reply as [number, number?, number?, ...AdmitReply[]];
    if (nowMs === undefined) {
      clock.correct(ownMs, performance.now());
      return undefined;
    }
    clock.note(ownMs, performance.now());
    return replies.map((each) => ({ nowMs, pets, reply: each }));
  }

  /** All requests of one turn of the event loop travel together; in a cluster their keys lie apart. */
  const batch: Batch<Question, Decision> = createBatch(ADMIT_MAX, async (questions) => {
    const keys = [...questions.map(({ key }) => key), petsKey()];
    return inTime(await runFor(petsKey(), (server) => decide(server, keys, questions)));
  });

  async function admitInCluster(question: Question): Promise<Decision> {
    const [decided, pets] = await Promise.all([
      runFor(question.key, (server) => decide(server, [question.key], [question])),
      readPetsVersion(),
    ]);
    const [decision] = inTime(decided) as [Decision];
    return { ...decision, pets };
  }

  /** The version of the animals lives in a slot of its own, maybe on a server that is away. */
  async function readPetsVersion(): Promise<number | undefined> {
    const found = await runFor(petsKey(), () => client.get(petsKey())).catch(() => undefined);
    return found === undefined ? undefined : Number(found ?? 0);
  }

  async function publishKnownPets(): Promise<void> {
    await client.run("publish", [petsKey()], [known().pets]);
  }

  return {
    isCluster,
    async admit(key, values, nowMs) {
      const question = { key: name(key), values, nowMs };
      if (isCluster) return admitInCluster(question);
      if (versionsServer().breaker.isOpen()) throw new Error("Redis is away");
      return batch.ask(question);
    },
    publishPets: () => runFor(petsKey(), publishKnownPets),
    async publishKey(key, version) {
      await runFor(name(key), () => client.run("publish", [name(key)], [version, known().epoch]));
    },
    store: (key, fields) => runFor(name(key), () => client.store(name(key), fields, KEPT_MS)),
    away: () => [...servers.values()].filter(({ breaker }) => breaker.isOpen()).map((each) => each.name),
    async opened() {
      const endMs = performance.now() + OPEN_MS;
      while (versionsServer().breaker.isOpen() && performance.now() < endMs) await pause(OPEN_CHECK_MS);
      const server = versionsServer();
      if (server.breaker.isOpen()) tell(server, true, lastError);
    },
    async close() {
      clearInterval(timer);
      client.close();
    },
  };
}

function inTime(decided: Decision[] | undefined): Decision[] {
  if (decided === undefined) throw new Error("Redis came to it too late");
  return decided;
}
