// Redis with Sentinels for tests: a master, a replica and three Sentinels, which replace a silent master when a test says so.

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { makeFolder } from "../runner/folder.ts";
import type { Certificate } from "./certificate.ts";
import { findFreePort } from "./ports.ts";
import { type RedisServer, runServer, startRedis } from "./redis.ts";

const COUNT = 3;
const QUORUM = 2;
export const MASTER_NAME = "animals";
/** How long a server is silent before the Sentinels replace it: until a test says so, longer than any test. */
const DOWN_AFTER_MS = { held: 3_600_000, allowed: 600 };
/** Also the time until another attempt, if the Sentinels were too busy to agree. */
const FAILOVER_MS = 1_500;
/** Between two requests for a failover, if a busy Sentinel has given up the first one. */
const REPEAT_MS = 5_000;
/**
 * Shorter than in production. A leader asks for roles once a second: a replica must stay eligible for five pings, and be
 * left alone by the other Sentinels for four announcements.
 */
const PERIODS = ["ping-period", "250", "info-period", "200", "ask-period", "100", "publish-period", "500"];
/** Otherwise a replica that comes back waits 5 s for its data. */
const SYNC_AT_ONCE = ["--repl-diskless-sync-delay", "0"];
const NAME_MASTER = ["SENTINEL", "GET-MASTER-ADDR-BY-NAME", MASTER_NAME];

/** A server of Redis or a Sentinel. Clients use `usedPort`, which differs from `port` with TLS. */
type Member = RedisServer & { usedPort: number };

export interface SentinelGroup {
  /** The first one is the master at the start. */
  servers: [Member, Member];
  sentinels: Member[];
  /** For REDIS_URL, with the password of Redis. */
  url: string;
  /** Resolves to the server that all Sentinels that answer name, once they agree. */
  findMaster(): Promise<Member>;
  /**
   * Lets the Sentinels replace this master, which is silent, or with `isOnPurpose` asks one for it. Resolves to the other
   * server when all of them name it.
   */
  failOver(from: Member, options?: { isOnPurpose?: boolean }): Promise<Member>;
  /** Resolves when all Sentinels know each other and an up-to-date replica, so that a failover can begin. */
  untilWatched(): Promise<void>;
}

interface Options {
  /** Of Redis. */
  password?: string;
  /** With it, commands of the tests are refused. */
  sentinelPassword?: string;
  /** With it, servers and Sentinels have a second port with TLS, which the Sentinels name. */
  tls?: Certificate;
}

export async function startSentinels(t: TestContext, options: Options = {}): Promise<SentinelGroup> {
  const { password, tls } = options;
  const secrets = password === undefined ? [] : ["--requirepass", password, "--masterauth", password];
  const flags = [...SYNC_AT_ONCE, ...secrets];
  const master = await startMember(t, tls, flags);
  const replica = await startMember(t, tls, ["--replicaof", "127.0.0.1", String(master.usedPort), ...flags]);
  const starting = Array.from({ length: COUNT }, () => startSentinel(t, master.usedPort, options));
  const sentinels = await Promise.all(starting);
  for (const sentinel of sentinels)
    assert.match(await sentinel.command("SENTINEL", "DEBUG", ...PERIODS), /^\+OK/);

  const group: SentinelGroup = {
    servers: [master, replica],
    sentinels,
    url: urlOf(sentinels, options),
    async findMaster() {
      for (;;) {
        const named = await Promise.all(sentinels.map(findNamedPort));
        const ports = new Set(named.filter((port) => port !== undefined));
        const found = [master, replica].find(({ usedPort }) => ports.has(usedPort));
        if (found !== undefined && ports.size === 1) return found;
        await pause(20, undefined, { signal: t.signal });
      }
    },
    async failOver(from, { isOnPurpose = false } = {}) {
      if (!isOnPurpose) await setDownAfter(sentinels, DOWN_AFTER_MS.allowed);
      for (let askedMs = Number.NEGATIVE_INFINITY; (await group.findMaster()) === from; ) {
        const isDue = isOnPurpose && performance.now() - askedMs > REPEAT_MS;
        // Refused as long as the replica has not answered for a moment.
        const reply = isDue ? await sentinels[0]?.command("SENTINEL", "FAILOVER", MASTER_NAME) : undefined;
        if (reply?.startsWith("+OK")) askedMs = performance.now();
        await pause(20, undefined, { signal: t.signal });
      }
      await setDownAfter(sentinels, DOWN_AFTER_MS.held);
      return group.findMaster();
    },
    async untilWatched() {
      for (const sentinel of sentinels)
        while (!(await isWatching(sentinel))) await pause(20, undefined, { signal: t.signal });
    },
  };
  await group.untilWatched();
  return group;
}

async function setDownAfter(sentinels: Member[], ms: number): Promise<void> {
  for (const sentinel of sentinels) {
    const option = ["down-after-milliseconds", String(ms)];
    assert.match(await sentinel.command("SENTINEL", "SET", MASTER_NAME, ...option), /^\+OK/);
  }
}

/** For REDIS_URL. */
export function urlOf(sentinels: Array<Pick<Member, "usedPort">>, { password, tls }: Options = {}): string {
  const hosts = sentinels.map(({ usedPort }) => `127.0.0.1:${usedPort}`).join(",");
  const user = password === undefined ? "" : `:${password}@`;
  return `${tls ? "rediss" : "redis"}+sentinel://${user}${hosts}/${MASTER_NAME}`;
}

async function startMember(t: TestContext, tls: Certificate | undefined, flags: string[]): Promise<Member> {
  const usedPort = tls && (await findFreePort());
  const secured = tls && usedPort ? listTlsFlags(tls, usedPort) : [];
  const server = await startRedis(t, ...flags, ...secured);
  return Object.assign(server, { usedPort: usedPort ?? server.port });
}

function listTlsFlags({ key, certificate }: Certificate, port: number): string[] {
  const files = ["--tls-cert-file", certificate, "--tls-key-file", key, "--tls-ca-cert-file", certificate];
  return ["--tls-port", String(port), ...files, "--tls-auth-clients", "no", "--tls-replication", "yes"];
}

/** A Sentinel that watches the server on this port, whatever that is. */
export async function startSentinel(
  t: TestContext,
  watchedPort: number,
  { password, sentinelPassword, tls }: Options = {},
): Promise<Member> {
  const port = await findFreePort();
  const usedPort = tls && (await findFreePort());
  const folder = makeFolder(t);
  const lines = [
    `port ${port}`,
    "bind 127.0.0.1",
    `dir ${folder}`,
    `sentinel monitor ${MASTER_NAME} 127.0.0.1 ${watchedPort} ${QUORUM}`,
    `sentinel down-after-milliseconds ${MASTER_NAME} ${DOWN_AFTER_MS.held}`,
    `sentinel failover-timeout ${MASTER_NAME} ${FAILOVER_MS}`,
    ...(password === undefined ? [] : [`sentinel auth-pass ${MASTER_NAME} ${password}`]),
    ...(sentinelPassword === undefined ? [] : [`requirepass ${sentinelPassword}`]),
  ];
  // The Sentinel writes what it learns into its file.
  const file = join(folder, "sentinel.conf");
  writeFileSync(file, `${lines.join("\n")}\n`);
  const secured = tls && usedPort ? listTlsFlags(tls, usedPort) : [];
  const server = await runServer(t, port, [file, "--sentinel", ...secured]);
  return Object.assign(server, { usedPort: usedPort ?? port });
}

async function findNamedPort(sentinel: RedisServer): Promise<number | undefined> {
  const reply = await sentinel.command(...NAME_MASTER).catch(() => "");
  const port = /\r\n(\d+)\r\n$/.exec(reply)?.[1];
  return port === undefined ? undefined : Number(port);
}

async function isWatching(sentinel: RedisServer): Promise<boolean> {
  const state = await sentinel.command("SENTINEL", "MASTER", MASTER_NAME);
  const others = /\r\nnum-other-sentinels\r\n\$\d+\r\n(\d+)/.exec(state)?.[1];
  const replicas = await sentinel.command("SENTINEL", "REPLICAS", MASTER_NAME);
  return others === String(COUNT - 1) && /\r\nok\r\n\$11\r\nmaster-host\r\n/.test(replicas);
}
