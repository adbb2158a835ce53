// The requests of the gate to Redis or Valkey, single or cluster: admissions and versions.

import { createBatch } from "../../tools/per-tick.ts";
import { openRedisClient } from "./client.ts";
import { type AdmitHead, type AdmitReply, type AdmitValues, KEPT_MS } from "./script.ts";
import { type RedisServer, type StateChange, watchServers } from "./servers.ts";

/** Node and Redis work at the same time on batches of this size; larger ones are no faster. */
const ADMIT_MAX = 32;

const PUBLISHERS_MAX = 256;

/** Share of the timeout within which Redis must begin; the rest is for the reply. */
const BEGIN_SHARE = 0.8;

/** For probes: never refused, and charged to a hash that nothing else uses. */
const PROBE_VALUES: AdmitValues = [1_000_000_000, 1_000_000_000, 0, 1, ""];

export interface Decision {
  nowMs: number;
  /** The version of the animals; absent while its server is away. */
  pets: number | undefined;
  /** Shared by requests with the same verdict. */
  reply: AdmitReply;
  /** How many of those were admitted before this one. */
  before: number;
}

export interface RedisLink {
  /** Runs the script of admission, at `nowMs` or by the clock of Redis. Rejects at once while the server of the key is away. */
  admit(key: string, values: AdmitValues, nowMs?: number): Promise<Decision>;
  /** Publishes the version of the animals that this node knows. */
  publishPets(): Promise<void>;
  publishKey(key: string, version: number): Promise<void>;
  /** Sets fields in the hash of a key. */
  store(key: string, fields: Record<string, number>): Promise<void>;
  /** The servers that are away. */
  away(): string[];
  readonly isCluster: boolean;
  /** Resolves when Redis can be used, or after a short wait. */
  opened(): Promise<void>;
  close(): Promise<void>;
}

interface LinkOptions {
  /** Several addresses, separated by commas, are a cluster. */
  url: string;
  timeoutMs: number;
  prefix: string;
  /** The versions that this node knows; published before their server counts as available. */
  known?: () => KnownVersions;
}

interface KnownVersions {
  epoch: string;
  pets: number;
}

/** For a command that only stores counts. */
const NO_VERSIONS: KnownVersions = { epoch: "", pets: 0 };

interface Question {
  /** Full name. */
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

  /** Whether the last probe has begun to publish. It does not include versions that are committed later. */
  let isPublishing = false;

  /**
   * Runs the script of admission with a write, because a replica, a full server, or one that refuses scripts would still
   * answer PING. The hash tag puts the probe into the slot of the key that failed.
   */
  async function probe(server: RedisServer, hasVersions: boolean): Promise<void> {
    const key = name(`probe:{${hasVersions ? petsKey() : server.key}}`);
    if (hasVersions) isPublishing = false;
    await decide(server, [{ key, values: PROBE_VALUES, nowMs: undefined }], { isBound: false });
    if (!hasVersions || known().epoch === "") return;
    isPublishing = true;
    await publishKnownPets();
  }

  /** Undefined if Redis began after the deadline and charged nothing. */
  async function decide(
    { clock }: RedisServer,
    questions: Question[],
    { versionsKey = [], isBound = true }: { versionsKey?: string[]; isBound?: boolean } = {},
  ): Promise<Decision[] | undefined> {
    const { epoch, pets: knownPets } = known();
    const deadlineMs = isBound ? clock.at(performance.now() + timeoutMs * BEGIN_SHARE) : undefined;
    const runs = joinEqual(questions);
    const head: AdmitHead = [runs.length, questions[0]?.nowMs ?? "", deadlineMs ?? "", epoch, knownPets];
    const keys = [...runs.map(({ question }) => question.key), ...versionsKey];
    const values = runs.flatMap(({ question, count }) => [...question.values, count]);
    const reply = await client.run("admit", keys, [...head, ...values]);
    const [ownMs, nowMs, pets, ...replies] = reply as [number, number?, number?, ...AdmitReply[]];
    if (nowMs === undefined) {
      clock.correct(ownMs, performance.now());
      return undefined;
    }
    clock.note(ownMs, performance.now());
    return replies.flatMap((each) =>
      Array.from({ length: each[0] }, (_, before) => ({ nowMs, pets, reply: each, before })),
    );
  }

  /** Requests of one event-loop tick share a round trip. In a cluster their keys are on different servers. */
  const admitTogether = createBatch<Question, Decision>(ADMIT_MAX, async (questions) => {
    const versionsKey = [petsKey()];
    return inTime(await servers.run(petsKey(), (server) => decide(server, questions, { versionsKey })));
  });

  async function admitInCluster(question: Question): Promise<Decision> {
    const [decided, pets] = await Promise.all([
      servers.run(question.key, (server) => decide(server, [question])),
      readPetsVersion(),
    ]);
    const [decision] = inTime(decided) as [Decision];
    return { ...decision, pets };
  }

  /** The version of the animals is in another slot, possibly on a server that is away. */
  async function readPetsVersion(): Promise<number | undefined> {
    const found = await servers.run(petsKey(), () => client.get(petsKey())).catch(() => undefined);
    return found === undefined ? undefined : Number(found ?? 0);
  }

  async function publishKnownPets(): Promise<void> {
    await client.run("publish", [petsKey()], [known().pets]);
  }

  async function publishPets(): Promise<void> {
    const { breaker } = servers.of(petsKey());
    // A probe may make Redis available without this version: wait for it, then publish.
    if (breaker.isOpen() && isPublishing) await breaker.probe();
    await servers.run(petsKey(), publishKnownPets);
  }

  /** Writes of one event-loop tick, for example of a group, share a command: each publishes the newest version. */
  const publishTogether = createBatch<undefined, undefined>(PUBLISHERS_MAX, async (callers) => {
    await publishPets();
    return callers;
  });

  return {
    isCluster,
    admit(key, values, nowMs) {
      const question = { key: name(key), values, nowMs };
      if (isCluster) return admitInCluster(question);
      if (servers.of(petsKey()).breaker.isOpen()) return Promise.reject(new Error("Redis is away"));
      return admitTogether(question);
    },
    publishPets: () => publishTogether(undefined),
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

/** Many requests of a tick have the same key. Sent once, with their number, they take a third less time in both programs. */
function joinEqual(questions: Question[]): Array<{ question: Question; count: number }> {
  const runs: Array<{ question: Question; count: number }> = [];
  for (const question of questions) {
    const last = runs.at(-1);
    if (last !== undefined && isEqual(last.question, question)) last.count += 1;
    else runs.push({ question, count: 1 });
  }
  return runs;
}

function isEqual(one: Question, other: Question): boolean {
  return one.key === other.key && one.values.every((value, index) => value === other.values[index]);
}

function inTime(decided: Decision[] | undefined): Decision[] {
  if (decided === undefined) throw new Error("Redis began after the deadline");
  return decided;
}
