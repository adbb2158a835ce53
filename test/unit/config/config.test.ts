// The configuration: every default is the documented one, and it reaches the part of the service that it is for.

import assert from "node:assert/strict";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { test } from "node:test";
import { openForCommand, withStores } from "../../../src/command-stores.ts";
import { type Config, ConfigError, readConfig } from "../../../src/config/config.ts";
import { openDatabase } from "../../../src/engines.ts";
import { ACTOR } from "../../harness/clients/audit.ts";
import { makeFolder } from "../../harness/runner/folder.ts";
import { startApp } from "../../harness/servers/app.ts";
import { askPostgres, createTestDatabase } from "../../harness/servers/databases.ts";
import { startRedis } from "../../harness/servers/redis.ts";

/** Written by hand on purpose: a default that changes in the code or in the docs must fail here. */
const DEFAULTS: Record<string, { shown: string; member: keyof Config; value: unknown }> = {
  HOST: { shown: "`127.0.0.1`", member: "host", value: "127.0.0.1" },
  PORT: { shown: "`8080`", member: "port", value: 8080 },
  DATABASE_URL: {
    shown: "`sqlite:data/animal-store.db`",
    member: "database",
    value: { engine: "sqlite", path: "data/animal-store.db" },
  },
  DATABASE_POOL_SIZE: { shown: "`10`", member: "poolSize", value: 10 },
  REDIS_URL: { shown: "unset", member: "redisUrl", value: undefined },
  REDIS_SENTINEL_PASSWORD: { shown: "unset", member: "redisSentinelPassword", value: undefined },
  REDIS_TIMEOUT_MS: { shown: "`100`", member: "redisTimeoutMs", value: 100 },
  COPY_TARGET_URL: { shown: "unset", member: "copyTarget", value: undefined },
  PUBLIC_URL: { shown: "`http://HOST:PORT`", member: "publicUrl", value: undefined },
  STAGING_URL: { shown: "unset", member: "stagingUrl", value: undefined },
  CONTACT_URL: { shown: "`PUBLIC_URL/docs`", member: "contactUrl", value: undefined },
  ENVIRONMENT: { shown: "`production`", member: "environment", value: "production" },
  ADMIN_API_KEY: { shown: "unset", member: "adminApiKey", value: undefined },
  METRICS_TOKEN: { shown: "unset", member: "metricsToken", value: undefined },
  TRUST_PROXY: { shown: "unset", member: "trustProxy", value: [] },
  MAX_CONNECTIONS: { shown: "`10000`", member: "maxConnections", value: 10_000 },
  MAX_CONNECTIONS_PER_ADDRESS: { shown: "`1024`", member: "maxConnectionsPerAddress", value: 1024 },
  CORS_ORIGINS: { shown: "any", member: "corsOrigins", value: undefined },
  GET_PET_DEPRECATED_AT: {
    shown: "`2025-12-05T00:00:00.000Z`",
    member: "getPetDeprecatedMs",
    value: 1_764_892_800_000,
  },
  ORDER_HOLD_HOURS: { shown: "`72`", member: "orderHoldMs", value: 72 * 3_600_000 },
  EVENTS_KEEP_DAYS: { shown: "`0`", member: "eventsKeptMs", value: 0 },
  WEBHOOK_SECRET_KEY: {
    shown: "SQLite: a file beside the store; PostgreSQL: no webhooks",
    member: "webhookSecretKey",
    value: undefined,
  },
  WEBHOOK_ALLOW_HTTP: { shown: "`0`", member: "webhookAllowHttp", value: false },
  WEBHOOK_ALLOW: { shown: "unset", member: "webhookAllow", value: [] },
  HTTPS_PROXY: { shown: "unset", member: "httpsProxy", value: undefined },
  HTTP_PROXY: { shown: "unset", member: "httpProxy", value: undefined },
  NO_PROXY: { shown: "unset", member: "noProxy", value: [] },
  DRAIN_SECONDS: { shown: "`0`", member: "drainMs", value: 0 },
  LOG_LEVEL: { shown: "`info`", member: "logLevel", value: "info" },
  ENV_FILE: { shown: "`.env`", member: "envFile", value: ".env" },
};

test("docs/operating.md documents every setting with its default", () => {
  const page = readFileSync(join(import.meta.dirname, "../../../docs/operating.md"), "utf8");
  const [, table = ""] = page.split(/<!-- table -->|<!-- end -->/);
  const rows = [...table.matchAll(/^\| `([A-Z_]+)` \| ([^|]+) \|/gm)].map(([, name, shown]) => [name, shown]);
  const documented = Object.entries(DEFAULTS).map(([name, { shown }]) => [name, shown]);
  assert.deepEqual(rows, documented);
});

test("an empty environment gives every setting its documented default", () => {
  const { isStartedByNpm, ...config } = readConfig({});
  assert.equal(isStartedByNpm, false);
  const expected = Object.values(DEFAULTS).map(({ member, value }) => [member, value]);
  assert.deepEqual({ ...Object.fromEntries(expected), ...config }, Object.fromEntries(expected));
});

test("an empty variable counts as unset", () => {
  const empty = Object.fromEntries(Object.keys(DEFAULTS).map((name) => [name, ""]));
  assert.deepEqual(readConfig(empty), readConfig({}));
});

test("numbers outside their range are rejected with the range", () => {
  for (const [name, text] of [
    ["PORT", "65536"],
    ["DATABASE_POOL_SIZE", "0"],
    ["DATABASE_POOL_SIZE", "1000"],
    ["MAX_CONNECTIONS", "1e3"],
    ["DRAIN_SECONDS", "-1"],
  ] as const) {
    const isNamed = ({ faults }: ConfigError) =>
      new RegExp(`^${name} must be a whole number from \\d+ to \\d+$`).test(faults.join());
    assert.throws(
      () => readConfig({ [name]: text }),
      (error) => error instanceof ConfigError && isNamed(error),
    );
  }
});

test("CONTACT_URL is a web address or one email address", () => {
  const allowed = ["https://animals.example.org/help?from=api", "mailto:help@animals.example.org"];
  for (const url of allowed) assert.equal(readConfig({ CONTACT_URL: url }).contactUrl, url);
  const refused = [
    "help",
    "ftp://animals.example.org",
    "mailto:",
    "mailto:help",
    "mailto:a@b@c",
    "mailto:a@b?cc=c@d",
  ];
  for (const url of refused)
    assert.throws(
      () => readConfig({ CONTACT_URL: url }),
      /CONTACT_URL must be an http or https address/,
      url,
    );
});

test("REDIS_URL is one server, a cluster, or Sentinels; the refusal says what is allowed, and no password", () => {
  const read = (text: string) => readConfig({ REDIS_URL: text }).redisUrl;
  const allowed = [
    "redis://a",
    "rediss://u:p@a:1/2",
    "redis://a,rediss://b",
    "redis+sentinel://:p@a,b:1/animals/2",
  ];
  for (const url of allowed) assert.equal(read(url), url);
  for (const url of ["a:6379", "http://a", "redis://a,b", "sentinel://:a-secret@a/animals"])
    assert.throws(
      () => read(url),
      (error: Error) =>
        /REDIS_URL must be redis:\/\/HOST:PORT, .* or redis\+sentinel:\/\/HOST/.test(error.message) &&
        !error.message.includes("a-secret"),
      url,
    );
  for (const url of ["a", "a/animals,redis+sentinel://b/animals", "store:a-secret/@a/animals"])
    assert.throws(
      () => read(`redis+sentinel://${url}`),
      (error: Error) =>
        /must be redis\+sentinel:\/\/\[USER:PASSWORD@\]HOST:PORT,HOST:PORT\/NAME\[\/DB\]/.test(
          error.message,
        ) && !error.message.includes("a-secret"),
      url,
    );
});

test("WEBHOOK_SECRET_KEY has at least 32 visible characters", () => {
  const key = "0123456789abcdef0123456789abcdef";
  assert.equal(readConfig({ WEBHOOK_SECRET_KEY: key }).webhookSecretKey, key);
  for (const text of [key.slice(1), `${key} `, `${key}ä`])
    assert.throws(
      () => readConfig({ WEBHOOK_SECRET_KEY: text }),
      /WEBHOOK_SECRET_KEY must be 32 or more/,
      text,
    );
});

test("WEBHOOK_ALLOW_HTTP is 0 or 1", () => {
  assert.equal(readConfig({ WEBHOOK_ALLOW_HTTP: "1" }).webhookAllowHttp, true);
  assert.equal(readConfig({ WEBHOOK_ALLOW_HTTP: "0" }).webhookAllowHttp, false);
  for (const text of ["true", "yes", "2"])
    assert.throws(() => readConfig({ WEBHOOK_ALLOW_HTTP: text }), /WEBHOOK_ALLOW_HTTP must be one of 0, 1/);
});

test("WEBHOOK_ALLOW is a list of addresses, ranges and host names", () => {
  const allowed = "10.0.0.0/8, 192.168.1.5,fd00::/8,Receiver,hooks.example.org.,bücher.example,a_b.example";
  assert.deepEqual(readConfig({ WEBHOOK_ALLOW: allowed }).webhookAllow, [
    "10.0.0.0/8",
    "192.168.1.5",
    "fd00::/8",
    "receiver",
    "hooks.example.org",
    "xn--bcher-kva.example",
    "a_b.example",
  ]);
  const refused = [
    "10.0.0.0/33",
    "127.1",
    "0x7f000001",
    "https://hooks.example.org",
    "hooks.example.org:443",
  ];
  for (const text of [...refused, "*.example.org", "a b", "user@host", "[::1]", "host/path", "."])
    assert.throws(() => readConfig({ WEBHOOK_ALLOW: text }), /WEBHOOK_ALLOW must be a list/, text);
});

test("HTTPS_PROXY is the address of a proxy, with or without http://", () => {
  const read = (text: string) => readConfig({ HTTPS_PROXY: text }).httpsProxy;
  assert.equal(read("http://proxy.example.org:3128"), "http://proxy.example.org:3128/");
  assert.equal(read("user:password@proxy.example.org:3128"), "http://user:password@proxy.example.org:3128/");
  assert.equal(read("https://proxy.example.org"), "https://proxy.example.org/");
  for (const text of ["socks5://proxy.example.org:1080", "http://proxy.example.org/path", "http://"])
    assert.throws(() => read(text), /HTTPS_PROXY must be the address of a proxy/, text);
});

test("without HOST the service is reachable through 127.0.0.1 only", async (t) => {
  const { url } = await startApp(t);
  assert.equal((await fetch(`${url}/healthz`)).status, 200);
  // A service on 0.0.0.0 would accept this connection.
  const other = connect(Number(new URL(url).port), "127.0.0.2");
  t.after(() => other.destroy());
  await assert.rejects(once(other, "connect"), { code: "ECONNREFUSED" });
});

test("without DATABASE_POOL_SIZE a node opens 10 connections to PostgreSQL", async (t) => {
  const url = await createTestDatabase(t);
  const db = await openDatabase(readConfig({ DATABASE_URL: url }), false);
  t.after(() => db.close());
  await Promise.all(Array.from({ length: 30 }, () => db.all("SELECT pg_sleep(0.05)")));
  const { rows } = await askPostgres(
    url,
    "SELECT count(*)::int FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()",
  );
  assert.deepEqual(rows, [{ count: 10 }]);
});

test("without REDIS_TIMEOUT_MS a request waits longer than 80 ms and shorter than 130 ms for Redis", async (t) => {
  const redis = await startRedis(t);
  const environment = { DATABASE_URL: `sqlite:${makeFolder(t)}/store.db`, REDIS_URL: redis.url };
  const open = async (more: Record<string, string>) => {
    const opened = await openForCommand(readConfig({ ...environment, ...more }));
    t.after(() => opened.close());
    return opened;
  };
  const settings = { name: "test", plan: "free", access: "browse" } as const;
  const { key } = await withStores(
    readConfig(environment),
    ({ stores }) => stores.keyRing.create(settings, ACTOR),
    { create: true },
  );
  const byDefault = await open({});
  const opened = {
    longer: await open({ REDIS_TIMEOUT_MS: "130" }),
    default: byDefault,
    shorter: await open({ REDIS_TIMEOUT_MS: "80" }),
  };
  redis.signal("SIGSTOP");
  // Timers of one process that start together end in the order of their lengths, however busy the machine is.
  const order: string[] = [];
  await Promise.all(
    Object.entries(opened).map(async ([name, { gate }]) => {
      await gate?.admit(key);
      order.push(name);
    }),
  );
  redis.signal("SIGCONT");
  assert.deepEqual(order, ["shorter", "default", "longer"]);
});
