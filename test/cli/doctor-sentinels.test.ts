// `doctor` on a Redis with Sentinels: it lists the servers with their roles, and says how to fix each fault.

import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { assertFinding, findOne as check } from "../harness/clients/findings.ts";
import { makeFolder } from "../harness/runner/folder.ts";
import { findFreePort } from "../harness/servers/ports.ts";
import { startRedis } from "../harness/servers/redis.ts";
import { startSentinel, startSentinels, urlOf } from "../harness/servers/sentinels.ts";

test("doctor lists master, replica and Sentinels, and warns before a failover is impossible", async (t) => {
  const DATABASE_URL = `sqlite:${makeFolder(t)}/store.db`;
  const group = await startSentinels(t, { password: "a-secret" });
  const [master, replica] = group.servers.map(({ port }) => `127.0.0.1:${port}`);
  const hosts = group.sentinels.map(({ port }) => `127.0.0.1:${port}`);
  const look = () => check({ DATABASE_URL, REDIS_URL: group.url }, "redis");

  const fine = await look();
  const address = `redis\\+sentinel://${hosts.join(",")}/animals`;
  assertFinding(
    fine,
    "ok",
    new RegExp(
      `^Redis \\d+\\.\\d+\\.\\d+; ${address} answers, takes writes and runs scripts; ${master} is the master, with 1 up-to-date replica; 3 of 3 Sentinels answer$`,
    ),
  );
  const [first, second, ...sentinels] = fine.servers ?? [];
  assert.deepEqual(
    [first, { ...second, lagBytes: 0 }, ...sentinels],
    [
      { host: master, role: "master" },
      { host: replica, role: "replica", lagBytes: 0 },
      ...hosts.map((host) => ({ host, role: "sentinel" })),
    ],
  );
  assert.ok((second?.lagBytes ?? -1) >= 0);

  await group.sentinels[2]?.stop();
  const missing = await look();
  const silent = `2 of 3 Sentinels answer; Sentinel ${hosts[2]}: connection refused`;
  assertFinding(missing, "warning", new RegExp(silent), /^Start these Sentinels/);
  assert.deepEqual(missing.servers?.at(-1), { host: hosts[2], role: "unreachable" });

  await group.servers[1].stop();
  let alone = await look();
  // The master notices with its next message to the replica.
  for (; !alone.detail.includes("no replica"); alone = await look()) await pause(50);
  assertFinding(
    alone,
    "warning",
    /with 0 up-to-date replicas; .*; no replica is up to date; /,
    /^Start a replica/,
  );
  assert.doesNotMatch(JSON.stringify([fine, missing, alone]), /a-secret/);
});

test("doctor explains Sentinels that name no master, or one that cannot be used", async (t) => {
  const DATABASE_URL = `sqlite:${makeFolder(t)}/store.db`;
  const [master, other, closed] = [await startRedis(t), await startRedis(t), await findFreePort()];
  await master.command("CONFIG", "SET", "requirepass", "a-secret");
  const replica = await startRedis(t, "--replicaof", "127.0.0.1", String(other.port));
  const [good, locked, ofReplica, ofClosed, ofOther] = await Promise.all([
    startSentinel(t, master.port, { password: "a-secret" }),
    startSentinel(t, master.port, { password: "a-secret", sentinelPassword: "b-secret" }),
    startSentinel(t, replica.port),
    startSentinel(t, closed),
    startSentinel(t, other.port),
  ]);
  const at = (port: number) => `127.0.0.1:${port}`;
  const url = (sentinel: typeof good) => urlOf([sentinel], { password: "a-secret" });
  const cases: Record<string, { url: string; password?: string; detail: string; mend: RegExp }> = {
    "a name that is not known": {
      url: `${url(good)}2`,
      detail: `no Sentinel names a master: ${at(good.port)}: it knows no master called animals2`,
      mend: /^Correct the name at the end of REDIS_URL/,
    },
    "a Sentinel that wants a password": {
      url: url(locked),
      detail: "NOAUTH",
      mend: /^Correct REDIS_SENTINEL_PASSWORD/,
    },
    "a wrong password of the Sentinel": {
      url: url(locked),
      password: "c-secret",
      detail: "WRONGPASS",
      mend: /^Correct REDIS_SENTINEL_PASSWORD/,
    },
    "no Sentinel": {
      url: url({ ...good, usedPort: closed }),
      detail: `no Sentinel names a master: ${at(closed)}: connection refused`,
      mend: /^Check that the Sentinels run/,
    },
    "Sentinels without TLS": {
      url: url(good).replace("redis+", "rediss+"),
      detail: "no Sentinel names a master",
      mend: /rediss\+sentinel if they use TLS/,
    },
    "a server that is no Sentinel": {
      url: urlOf([{ usedPort: other.port }]),
      detail: "no Sentinel names a master",
      mend: /^Check that the Sentinels run/,
    },
    "a wrong password of Redis": {
      url: urlOf([good], { password: "c-secret" }),
      detail: `the master is ${at(master.port)}: WRONGPASS`,
      mend: /^Correct user and password in REDIS_URL/,
    },
    "a replica": {
      url: urlOf([ofReplica]),
      detail: `the master is ${at(replica.port)}: READONLY`,
      mend: /^The Sentinels name a replica/,
    },
    "a master that cannot be reached": {
      url: urlOf([ofClosed]),
      detail: `the master is ${at(closed)}: connection refused`,
      mend: /^The Sentinels name this server, but .* replica-announce-ip/,
    },
  };
  await Promise.all(
    Object.entries(cases).map(async ([what, { url, password = "", detail, mend }]) => {
      const environment = { DATABASE_URL, REDIS_URL: url, REDIS_SENTINEL_PASSWORD: password };
      const found = await check(environment, "redis");
      assertFinding(found, "fault", /; until it works, each node admits its share of the limits$/, mend);
      assert.ok(found.detail.includes(detail), `${what}: ${found.detail}`);
      assert.doesNotMatch(JSON.stringify(found), /-secret/);
    }),
  );

  const two = [ofOther, await startSentinel(t, other.port), ofReplica];
  const found = await check({ DATABASE_URL, REDIS_URL: urlOf(two) }, "redis");
  const lie = `Sentinel ${at(ofReplica.port)} names ${at(replica.port)}`;
  assertFinding(
    found,
    "warning",
    new RegExp(`${at(other.port)} is the master.*; ${lie}`),
    /passes within seconds/,
  );
});
