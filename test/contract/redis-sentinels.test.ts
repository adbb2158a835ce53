// The client for Sentinels: it uses the master that most of them name, and only a server that is a master; Sentinels that
// lie, freeze or are away change nothing.

import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { openRedis } from "../../src/gate/redis/link.ts";
import type { StateChange } from "../../src/gate/redis/server-probes.ts";
import { findFreePort } from "../harness/servers/ports.ts";
import { startProxy, type TcpProxy } from "../harness/servers/proxy.ts";
import { type RedisServer, startRedis } from "../harness/servers/redis.ts";
import { MASTER_NAME, startSentinel, urlOf } from "../harness/servers/sentinels.ts";

/** Longer than a command takes on a busy machine. */
const PATIENT_MS = 2_000;
const PETS = "test:version:pets:e";

/** Opens a link; `next` resolves with each change that it reports. */
async function open(t: TestContext, url: string, sentinelPassword?: string) {
  const changes: StateChange[] = [];
  let wake = () => {};
  const known = { epoch: "e", pets: 7 };
  const link = openRedis(
    { url, sentinelPassword, timeoutMs: PATIENT_MS, prefix: "test", known: () => known },
    (change) => {
      changes.push(change);
      wake();
    },
  );
  t.after(() => link.close());
  await link.opened();
  const next = async () => {
    while (changes.length === 0) await new Promise<void>((resolve) => (wake = resolve));
    return changes.shift() as StateChange;
  };
  const used = () => link.servers().map(({ server, isAway }) => `${isAway ? "away: " : ""}${server}`);
  return { link, known, changes, next, used };
}

const nameOf = ({ port }: { port: number }) => `127.0.0.1:${port}`;

/** Resolves when the client has asked the Sentinel behind the proxy, has its answer, and asks again; twice. */
async function untilAsked(proxy: TcpProxy): Promise<void> {
  for (let question = 0; question < 3; question++) {
    await proxy.holdAnswersTo("GET-MASTER-ADDR-BY-NAME");
    proxy.set("pass");
  }
}

/** From now on, the Sentinel names the server on this port. */
async function lie(sentinel: RedisServer, port: number): Promise<void> {
  await sentinel.command("SENTINEL", "REMOVE", MASTER_NAME);
  assert.match(
    await sentinel.command("SENTINEL", "MONITOR", MASTER_NAME, "127.0.0.1", String(port), "1"),
    /^\+OK/,
  );
}

test("the master that most Sentinels name is used, and a server that only one names is never asked", async (t) => {
  const [master, other] = [await startRedis(t), await startRedis(t)];
  const [one, two] = [await startSentinel(t, master.port), await startSentinel(t, master.port)];
  const liar = await startSentinel(t, other.port);
  // The others answer later.
  const proxy = await startProxy(t, two.port);
  const { changes, used } = await open(t, urlOf([liar, one, { usedPort: proxy.port }]));
  await untilAsked(proxy);
  assert.deepEqual([used(), changes], [[nameOf(master)], []]);
  assert.match(await master.command("GET", PETS), /\r\n7\r\n/);
  assert.match(await other.command("DBSIZE"), /^:0\r/);
});

test("a replica and a server that cannot be reached are passed over, whichever Sentinel names them first", async (t) => {
  const master = await startRedis(t);
  const replica = await startRedis(t, "--replicaof", "127.0.0.1", String(master.port));
  const ports = [await findFreePort(), replica.port, master.port];
  const sentinels = await Promise.all(ports.map((port) => startSentinel(t, port)));
  const { used } = await open(t, urlOf(sentinels));
  assert.deepEqual(used(), [nameOf(master)]);
});

test("a master that works stays in use while the Sentinels name servers that do not, freeze or are gone", async (t) => {
  const master = await startRedis(t);
  const sentinel = await startSentinel(t, master.port);
  const frozen = await startSentinel(t, master.port);
  const proxy = await startProxy(t, sentinel.port);
  const { link, changes, next, used } = await open(t, urlOf([frozen, { usedPort: proxy.port }]));
  await lie(sentinel, await findFreePort());
  await lie(frozen, await findFreePort());
  await untilAsked(proxy);
  assert.deepEqual(changes, [], "nothing has changed");
  frozen.signal("SIGSTOP");
  assert.deepEqual(await next(), {
    server: nameOf(frozen),
    isAway: true,
    isSentinel: true,
    hasVersions: false,
    reason: "no answer in time",
  });
  await sentinel.stop();
  assert.equal((await next()).server, nameOf(proxy));
  await link.publishPets();
  assert.deepEqual([used(), changes], [[nameOf(master)], []]);
  frozen.signal("SIGCONT");
  await lie(frozen, master.port);
  assert.deepEqual(
    [(await next()).isAway, link.sentinels().map(({ reason }) => reason === undefined)],
    [false, [true, false]],
  );
});

test("a master stays in use while as many Sentinels name another one", async (t) => {
  const [master, other] = [await startRedis(t), await startRedis(t)];
  const [one, liar] = [await startSentinel(t, master.port), await startSentinel(t, master.port)];
  // It answers later.
  const proxy = await startProxy(t, one.port);
  const { changes, used } = await open(t, urlOf([liar, { usedPort: proxy.port }]));
  await lie(liar, other.port);
  await untilAsked(proxy);
  assert.deepEqual([used(), changes], [[nameOf(master)], []]);
});

test("another master gets the known version before it counts as available, and the change is reported", async (t) => {
  const [before, after] = [await startRedis(t), await startRedis(t)];
  const sentinel = await startSentinel(t, before.port);
  const { link, known, next, used } = await open(t, urlOf([sentinel]));
  assert.deepEqual(used(), [nameOf(before)]);
  known.pets = 9;
  await lie(sentinel, after.port);
  assert.deepEqual(await next(), {
    server: nameOf(before),
    isAway: true,
    isSentinel: false,
    hasVersions: true,
    reason: `Sentinel names another master, ${nameOf(after)}`,
  });
  assert.deepEqual(await next(), {
    server: nameOf(after),
    isAway: false,
    isSentinel: false,
    hasVersions: true,
  });
  assert.match(await after.command("GET", PETS), /\r\n9\r\n/);
  assert.match(await before.command("GET", PETS), /\r\n7\r\n/, "published to the new master only");
  assert.deepEqual(used(), [nameOf(after)], "the old one is forgotten");
  await link.publishPets();
});

test("a master that has become a replica is left with its first command", async (t) => {
  const [master, other] = [await startRedis(t), await startRedis(t)];
  const sentinel = await startSentinel(t, master.port);
  const { link, next } = await open(t, urlOf([sentinel]));
  await master.command("REPLICAOF", "127.0.0.1", String(other.port));
  await assert.rejects(link.admit("k:1", [60, 1_000, 0, 1, ""]), /READONLY|connection/i);
  const { server, isAway } = await next();
  assert.deepEqual([server, isAway], [nameOf(master), true]);
  await lie(sentinel, other.port);
  assert.deepEqual(
    [(await next()).server, link.servers()],
    [nameOf(other), [{ server: nameOf(other), isAway: false }]],
  );
});

test("without Sentinels at the start Redis is away, with the reason, and it is found when one answers", async (t) => {
  const master = await startRedis(t);
  const sentinel = await startSentinel(t, master.port);
  await sentinel.stop();
  const { next, used } = await open(t, urlOf([sentinel]));
  assert.equal((await next()).isSentinel, true);
  const { server, reason } = await next();
  assert.deepEqual(
    [server, reason, used()],
    [
      nameOf(sentinel),
      `no Sentinel names a master (${nameOf(sentinel)}: connection refused)`,
      ["away: undefined"],
    ],
  );
  await sentinel.start();
  const found = [await next(), await next()].map(({ server, isAway }) => `${isAway} ${server}`);
  assert.deepEqual(found, [`false ${nameOf(sentinel)}`, `false ${nameOf(master)}`]);
});

test("a wrong password is reported for the server that refuses it, and never shown", async (t) => {
  const master = await startRedis(t);
  await master.command("CONFIG", "SET", "requirepass", "of-redis");
  const passwords = { password: "of-redis", sentinelPassword: "of-sentinel" };
  const sentinel = await startSentinel(t, master.port, passwords);
  const url = (password: string) => urlOf([sentinel], { password });
  const cases: Array<[url: string, sentinelPassword: string | undefined, reason: RegExp]> = [
    [url("of-redis"), undefined, /^no Sentinel names a master \(.*NOAUTH/],
    [url("of-redis"), "a-wrong-one", /^no Sentinel names a master \(.*WRONGPASS/],
    [url("a-wrong-one"), "of-sentinel", new RegExp(`^${nameOf(master)}: .*WRONGPASS`)],
    [urlOf([sentinel]), "of-sentinel", new RegExp(`^${nameOf(master)}: .*NOAUTH`)],
  ];
  await Promise.all(
    cases.map(async ([address, sentinelPassword, expected]) => {
      const { changes } = await open(t, address, sentinelPassword);
      const { reason = "" } = changes.find(({ isSentinel }) => !isSentinel) as StateChange;
      assert.match(reason, expected);
      assert.doesNotMatch(JSON.stringify(changes), /of-redis|of-sentinel|a-wrong-one/);
    }),
  );
  const { used } = await open(t, url("of-redis"), "of-sentinel");
  assert.deepEqual(used(), [nameOf(master)]);
});
