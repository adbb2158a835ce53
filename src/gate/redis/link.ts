// What the gate asks of Redis or Valkey, single or cluster: admissions, and versions to publish.

import { type Batch, createBatch } from "../../tools/batch.ts";
import { openRedisClient } from "./client.ts";
import { type AdmitHead, type AdmitReply, type AdmitValues, KEPT_MS } from "./script.ts";
import { type RedisServer, type StateChange, watchServers } from "./servers.ts";

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

interface Question {
  key: string;
  values: AdmitValues;
  nowMs: number | undefined;
}

export function openRedis(options: LinkOptions, onStateChange: (change: StateChange) => void): RedisLink {
  const { url, timeoutMs, prefix, known = () => NO_VERSIONS } = options;
  const client = openRedisClient(url, timeoutMs);
  const { isCluster } = client;
  const name = (key: string) => `${prefix}:${key}`;
  const petsKey = () => name(`version:pets:${known().epoch}`);
  const servers = watchServers({ client, versionsKey: petsKey, probe, onStateChange });

  /** Whether the last probe got as far as publishing. A version that commits after that is missing in what it publishes. */
  let isPublishing = false;

  /**
   * The very script, with a write: a replica, a server without memory, or one that may not run it answers a PING but is
   * of no use. The hash tag puts the name into the slot of the key that failed.
   */
  async function probe(server: RedisServer, hasVersions: boolean): Promise<void> {
    const key = name(`probe:{${hasVersions ? petsKey() : server.key}}`);
    if (hasVersions) isPublishing = false;
    await decide(server, [key], [{ key, values: PROBE_VALUES, nowMs: undefined }], false);
    if (!hasVersions || known().epoch === "") return;
    isPublishing = true;
    await publishKnownPets();
  }

  /** Undefined where Redis came to it too late and has charged nothing. `keys` are full names. */
  async function decide(
    { clock }: RedisServer,
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
    return inTime(await servers.run(petsKey(), (server) => decide(server, keys, questions)));
  });

  async function admitInCluster(question: Question): Promise<Decision> {
    const [decided, pets] = await Promise.all([
      servers.run(question.key, (server) => decide(server, [question.key], [question])),
      readPetsVersion(),
    ]);
    const [decision] = inTime(decided) as [Decision];
    return { ...decision, pets };
  }

  /** The version of the animals lives in a slot of its own, maybe on a server that is away. */
  async function readPetsVersion(): Promise<number | undefined> {
    const found = await servers.run(petsKey(), () => client.get(petsKey())).catch(() => undefined);
    return found === undefined ? undefined : Number(found ?? 0);
  }

  async function publishKnownPets(): Promise<void> {
    await client.run("publish", [petsKey()], [known().pets]);
  }

  async function publishPets(): Promise<void> {
    const { breaker } = servers.of(petsKey());
    // Redis is coming back: the write is answered when Redis has this version, or is still away.
    if (breaker.isOpen() && isPublishing) await breaker.probe();
    await servers.run(petsKey(), publishKnownPets);
  }

  return {
    isCluster,
    async admit(key, values, nowMs) {
      const question = { key: name(key), values, nowMs };
      if (isCluster) return admitInCluster(question);
      if (servers.of(petsKey()).breaker.isOpen()) throw new Error("Redis is away");
      return batch.ask(question);
    },
    publishPets,
    async publishKey(key, version) {
      await servers.run(name(key), () => client.run("publish", [name(key)], [version, known().epoch]));
    },
    store: (key, fields) => servers.run(name(key), () => client.store(name(key), fields, KEPT_MS)),
    away: servers.away,
    opened: servers.opened,
    async close() {
      servers.stop();
      client.close();
    },
  };
}

function inTime(decided: Decision[] | undefined): Decision[] {
  if (decided === undefined) throw new Error("Redis came to it too late");
  return decided;
}
