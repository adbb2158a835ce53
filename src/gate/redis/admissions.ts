// Sends requests to the script of admission, and reads its decisions.

import { createBatch } from "../../tools/per-tick.ts";
import type { RedisClient } from "./commands.ts";
import type { AdmitHead, AdmitReply, AdmitValues } from "./script.ts";
import type { RedisServer, RedisServers } from "./server-probes.ts";

/** Node and Redis work at the same time on batches of this size; larger ones are no faster. */
const ADMIT_MAX = 32;

/** Share of the timeout within which Redis must run the script; the rest is for the reply. */
const RUN_SHARE = 0.8;

interface Question {
  /** Full name. */
  key: string;
  values: AdmitValues;
  /** Replaces the clock of Redis. */
  nowMs?: number | undefined;
}

export interface Decision {
  nowMs: number;
  /** The version of the animals; absent while its server is away. */
  pets: number | undefined;
  /** Shared by requests with the same verdict. */
  reply: AdmitReply;
  /** The number of those that were admitted before this one. */
  before: number;
}

export interface KnownVersions {
  epoch: string;
  pets: number;
}

export interface Connection {
  client: RedisClient;
  servers: RedisServers;
  timeoutMs: number;
  known: () => KnownVersions;
  petsKey: () => string;
}

/** Rejects at once while the server of the key is away. */
export function createAdmit(connection: Connection): (question: Question) => Promise<Decision> {
  const { client, servers, petsKey } = connection;
  const readPublished = createPublishedVersion(connection);

  // Requests of one event-loop tick share a round trip. In a cluster their keys are on different servers.
  const admitTogether = createBatch<Question, Decision>(ADMIT_MAX, async (questions) =>
    inTime(
      await servers.run(petsKey(), (server) => decide(connection, server, questions, { petsKey: petsKey() })),
    ),
  );

  async function admitInCluster(question: Question): Promise<Decision> {
    const [decisions, pets] = await Promise.all([
      servers.run(question.key, (server) => decide(connection, server, [question])),
      readPublished(),
    ]);
    const [decision] = inTime(decisions) as [Decision];
    return { ...decision, pets };
  }

  if (client.kind === "cluster") return admitInCluster;
  return (question) =>
    servers.of(petsKey()).breaker.isOpen()
      ? Promise.reject(new Error("Redis is away"))
      : admitTogether(question);
}

/**
 * Resolves to the version of the animals in Redis. In a cluster it is in another slot than a key, possibly on a server that
 * is away: undefined then.
 */
export function createPublishedVersion({ client, servers, petsKey }: Connection) {
  return async (): Promise<number | undefined> => {
    const found = await servers.run(petsKey(), () => client.get(petsKey())).catch(() => undefined);
    return found === undefined ? undefined : Number(found ?? 0);
  };
}

/** Undefined if Redis ran the script after its deadline, and charged nothing. There is no deadline unless `isBound`. */
export async function decide(
  { client, timeoutMs, known }: Connection,
  { clock }: RedisServer,
  questions: Question[],
  { petsKey, isBound = true }: { petsKey?: string; isBound?: boolean } = {},
): Promise<Decision[] | undefined> {
  const { epoch, pets: knownPets } = known();
  const deadlineMs = isBound ? clock.at(performance.now() + timeoutMs * RUN_SHARE) : undefined;
  const runs = joinEqual(questions);
  const head: AdmitHead = [runs.length, questions[0]?.nowMs ?? "", deadlineMs ?? "", epoch, knownPets];
  const keys = runs.map(({ question }) => question.key);
  if (petsKey !== undefined) keys.push(petsKey);
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

/** Outside of the breaker: Redis works, it was only too slow for these requests. */
function inTime(decisions: Decision[] | undefined): Decision[] {
  if (decisions === undefined) throw new Error("Redis ran the command after its deadline");
  return decisions;
}

/** Many requests of a tick have the same key. Sent once, with their number, they take 33 % less time. */
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
