// The only reader of the environment: every setting with its default, its meaning and its check.

import { isIP } from "node:net";
import { GET_PET_DEPRECATED_MS_DEFAULT } from "./domain/deprecation.ts";
import { ENVIRONMENTS, type Environment } from "./domain/keys/key-secret.ts";
import { ORDER_HOLD_HOURS_DEFAULT } from "./domain/order.ts";
import { parseTime, TIME_RULE } from "./domain/time.ts";
import { OperatorError } from "./tools/operator-error.ts";

const LOG_LEVELS = ["fatal", "error", "warn", "info", "debug", "trace", "silent"] as const;

export interface Config {
  host: string;
  port: number;
  database: { engine: "sqlite"; path: string } | { engine: "postgres"; url: string };
  /** Connections to PostgreSQL. */
  poolSize: number;
  /** Absent: counts are kept in the process. */
  redisUrl: string | undefined;
  redisTimeoutMs: number;
  /** Without a slash at the end. Absent: made from the address the service listens on. */
  publicUrl: string | undefined;
  stagingUrl: string | undefined;
  environment: Environment;
  adminApiKey: string | undefined;
  /** Opens `/metrics` and nothing else. */
  metricsToken: string | undefined;
  trustProxy: string[];
  maxConnections: number;
  maxConnectionsPerAddress: number;
  /** Absent: any origin. */
  corsOrigins: string[] | undefined;
  getPetDeprecatedMs: number;
  /** How long a placed order holds its animal. */
  orderHoldMs: number;
  logLevel: (typeof LOG_LEVELS)[number];
  /** How long load balancers are given to learn that the service stops. */
  drainMs: number;
  isStartedByNpm: boolean;
}

interface Setting<T> {
  /** The text that an unset variable counts as; absent where unset is a meaning of its own. */
  fallback?: string;
  /** What stands in the table of docs/operating.md. */
  shown: string;
  meaning: string;
  /** Throws a Fault with what is allowed. */
  read(text: string): T;
}

class Fault extends Error {}

export class ConfigError extends OperatorError {}

const HTTP_URL: Setting<string>["read"] = (text) => {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isPlain =
    url !== undefined && /^https?:$/.test(url.protocol) && !url.search && !url.hash && !url.username;
  if (!isPlain) throw new Fault("must be an http or https address, such as https://animals.example.org");
  const address = url.href.replace(/\/+$/, "");
  if (address.endsWith("/v1")) throw new Fault("must be given without /v1 at its end");
  return address;
};

const SECRET: Setting<string>["read"] = (text) => {
  if (!/^[\x21-\x7e]{16,}$/.test(text)) throw new Fault("must be 16 or more visible ASCII characters");
  return text;
};

const CONNECTIONS: Setting<number>["read"] = (text) => {
  if (!/^[1-9]\d{0,6}$/.test(text)) throw new Fault("must be a whole number from 1 to 9999999");
  return Number(text);
};

const SETTINGS = {
  HOST: {
    fallback: "127.0.0.1",
    shown: "`127.0.0.1`",
    meaning: "The address to listen on; `0.0.0.0` for all. `localhost` means `127.0.0.1`.",
    // Fastify would make a second server for ::1, without our bounds on connections and pipelines.
    read: (text) => (text === "localhost" ? "127.0.0.1" : text),
  } satisfies Setting<string>,
  PORT: {
    fallback: "8080",
    shown: "`8080`",
    meaning: "The port to listen on; `0` takes a free one.",
    read: (text) => {
      if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535)
        throw new Fault("must be a number from 0 to 65535");
      return Number(text);
    },
  } satisfies Setting<number>,
  DATABASE_URL: {
    fallback: "sqlite:data/animal-store.db",
    shown: "`sqlite:data/animal-store.db`",
    meaning:
      "Where the data is: `sqlite:` and the path of a file, or `postgres://USER:PASSWORD@HOST:PORT/NAME`.",
    read: (text) => {
      const path = /^sqlite:(?:\/\/(?=\/)|(?!\/\/|:))(.+)$/s.exec(text)?.[1];
      if (path !== undefined) return { engine: "sqlite", path };
      if (/^postgres(?:ql)?:\/\/./.test(text) && URL.canParse(text)) return { engine: "postgres", url: text };
      throw new Fault("must be sqlite:PATH or postgres://USER:PASSWORD@HOST:PORT/NAME");
    },
  } satisfies Setting<Config["database"]>,
  DATABASE_POOL_SIZE: {
    fallback: "10",
    shown: "`10`",
    meaning: "Connections of this node to PostgreSQL.",
    read: (text) => {
      if (!/^[1-9]\d{0,2}$/.test(text)) throw new Fault("must be a whole number from 1 to 999");
      return Number(text);
    },
  } satisfies Setting<number>,
  REDIS_URL: {
    shown: "unset",
    meaning:
      "Redis or Valkey, needed by more than one node: `redis://HOST:PORT`; several, separated by commas, are a cluster.",
    read: (text) => {
      const isAddress = (each: string) => /^rediss?:\/\/./.test(each) && URL.canParse(each);
      if (!text.split(",").every(isAddress))
        throw new Fault("must be redis://HOST:PORT, or several separated by commas");
      return text;
    },
  } satisfies Setting<string>,
  REDIS_TIMEOUT_MS: {
    fallback: "100",
    shown: "`100`",
    meaning: "How long a request waits for Redis before the node goes on by itself.",
    read: (text) => {
      if (!/^[1-9]\d{0,3}$/.test(text)) throw new Fault("must be a whole number from 1 to 9999");
      return Number(text);
    },
  } satisfies Setting<number>,
  PUBLIC_URL: {
    shown: "`http://HOST:PORT`",
    meaning: "The address clients use, without `/v1`; links in answers begin with it.",
    read: HTTP_URL,
  } satisfies Setting<string>,
  STAGING_URL: {
    shown: "unset",
    meaning: "The address of a staging service, without `/v1`; named in the OpenAPI document.",
    read: HTTP_URL,
  } satisfies Setting<string>,
  ENVIRONMENT: {
    fallback: "production",
    shown: "`production`",
    meaning: "`production` or `staging`: keys of one are refused by the other.",
    read: oneOf(ENVIRONMENTS),
  } satisfies Setting<Environment>,
  ADMIN_API_KEY: {
    shown: "unset",
    meaning: "An `admin` key that is held in memory only, of 16 or more visible ASCII characters.",
    read: SECRET,
  } satisfies Setting<string>,
  METRICS_TOKEN: {
    shown: "unset",
    meaning:
      "A bearer token that opens `/metrics` and nothing else, of 16 or more visible ASCII characters; held in memory only.",
    read: SECRET,
  } satisfies Setting<string>,
  TRUST_PROXY: {
    fallback: "",
    shown: "unset",
    meaning: "Proxies whose `X-Forwarded-For` counts: addresses or CIDR ranges, separated by commas.",
    read: (text) => {
      const ranges = splitList(text);
      if (!ranges.every(isRange))
        throw new Fault("must be a list of addresses or CIDR ranges, such as 10.0.0.0/8,::1");
      return ranges;
    },
  } satisfies Setting<string[]>,
  MAX_CONNECTIONS: {
    fallback: "10000",
    shown: "`10000`",
    meaning: "Open connections of this node; further ones are closed at once.",
    read: CONNECTIONS,
  } satisfies Setting<number>,
  MAX_CONNECTIONS_PER_ADDRESS: {
    fallback: "1024",
    shown: "`1024`",
    meaning:
      "Open connections of one client address (IPv4, or IPv6 /64); the proxies of `TRUST_PROXY` have no such bound.",
    read: CONNECTIONS,
  } satisfies Setting<number>,
  CORS_ORIGINS: {
    shown: "any",
    meaning: "The origins whose pages may call the service, separated by commas.",
    read: (text) => {
      const origins = splitList(text);
      const isOrigin = (origin: string) => URL.canParse(origin) && new URL(origin).origin === origin;
      if (!origins.every(isOrigin))
        throw new Fault("must be a list of origins, such as https://animals.example.org");
      return origins;
    },
  } satisfies Setting<string[]>,
  GET_PET_DEPRECATED_AT: {
    fallback: new Date(GET_PET_DEPRECATED_MS_DEFAULT).toISOString(),
    shown: `\`${new Date(GET_PET_DEPRECATED_MS_DEFAULT).toISOString()}\``,
    meaning: "Since when `getPet` is deprecated; sent in its `Deprecation` header.",
    read: (text) => {
      const ms = parseTime(text);
      if (ms === undefined) throw new Fault(`must be ${TIME_RULE}`);
      return ms;
    },
  } satisfies Setting<number>,
  ORDER_HOLD_HOURS: {
    fallback: String(ORDER_HOLD_HOURS_DEFAULT),
    shown: `\`${ORDER_HOLD_HOURS_DEFAULT}\``,
    meaning: "How long a placed order holds its animal; one that nobody approves expires then.",
    read: (text) => {
      if (!/^[1-9]\d{0,3}$/.test(text)) throw new Fault("must be a whole number from 1 to 9999");
      return Number(text) * 3_600_000;
    },
  } satisfies Setting<number>,
  DRAIN_SECONDS: {
    fallback: "0",
    shown: "`0`",
    meaning:
      "How long a stopping service goes on while `/readyz` says 503, so that load balancers turn to other nodes.",
    read: (text) => {
      if (!/^\d{1,2}$/.test(text)) throw new Fault("must be a whole number from 0 to 99");
      return Number(text) * 1000;
    },
  } satisfies Setting<number>,
  LOG_LEVEL: {
    fallback: "info",
    shown: "`info`",
    meaning: `One of ${LOG_LEVELS.map((level) => `\`${level}\``).join(", ")}.`,
    read: oneOf(LOG_LEVELS),
  } satisfies Setting<Config["logLevel"]>,
};

/** Throws one ConfigError that names every fault. */
export function readConfig(env: NodeJS.ProcessEnv = process.env): Config {
  const faults: string[] = [];

  function read<T>(name: keyof typeof SETTINGS, setting: Setting<T>): T | undefined {
    const text = env[name] || setting.fallback;
    if (text === undefined) return undefined;
    try {
      return setting.read(text);
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      faults.push(`${name} ${error.message}`);
      return undefined;
    }
  }

  const config = {
    host: read("HOST", SETTINGS.HOST),
    port: read("PORT", SETTINGS.PORT),
    database: read("DATABASE_URL", SETTINGS.DATABASE_URL),
    poolSize: read("DATABASE_POOL_SIZE", SETTINGS.DATABASE_POOL_SIZE),
    redisUrl: read("REDIS_URL", SETTINGS.REDIS_URL),
    redisTimeoutMs: read("REDIS_TIMEOUT_MS", SETTINGS.REDIS_TIMEOUT_MS),
    publicUrl: read("PUBLIC_URL", SETTINGS.PUBLIC_URL),
    stagingUrl: read("STAGING_URL", SETTINGS.STAGING_URL),
    environment: read("ENVIRONMENT", SETTINGS.ENVIRONMENT),
    adminApiKey: read("ADMIN_API_KEY", SETTINGS.ADMIN_API_KEY),
    metricsToken: read("METRICS_TOKEN", SETTINGS.METRICS_TOKEN),
    trustProxy: read("TRUST_PROXY", SETTINGS.TRUST_PROXY),
    maxConnections: read("MAX_CONNECTIONS", SETTINGS.MAX_CONNECTIONS),
    maxConnectionsPerAddress: read("MAX_CONNECTIONS_PER_ADDRESS", SETTINGS.MAX_CONNECTIONS_PER_ADDRESS),
    corsOrigins: read("CORS_ORIGINS", SETTINGS.CORS_ORIGINS),
    getPetDeprecatedMs: read("GET_PET_DEPRECATED_AT", SETTINGS.GET_PET_DEPRECATED_AT),
    orderHoldMs: read("ORDER_HOLD_HOURS", SETTINGS.ORDER_HOLD_HOURS),
    drainMs: read("DRAIN_SECONDS", SETTINGS.DRAIN_SECONDS),
    logLevel: read("LOG_LEVEL", SETTINGS.LOG_LEVEL),
  };
  if (config.metricsToken !== undefined && config.metricsToken === config.adminApiKey)
    faults.push("METRICS_TOKEN must differ from ADMIN_API_KEY");
  if (faults.length > 0) {
    throw new ConfigError(
      `The configuration is not valid:\n${faults.map((fault) => `  ${fault}`).join("\n")}`,
    );
  }
  return { ...config, isStartedByNpm: env.npm_lifecycle_event !== undefined } as Config;
}

/** The environment with some of its variables replaced. */
export function readConfigWith(replaced: NodeJS.ProcessEnv): Config {
  return readConfig({ ...process.env, ...replaced });
}

/** The database as people may see it: without a password. */
export function nameDatabase({ database }: Config): string {
  if (database.engine === "sqlite") return database.path;
  const { host, pathname } = new URL(database.url);
  return `postgres://${host}${pathname}`;
}

/** The same for Redis. */
export function nameRedis(url: string): string {
  return url
    .split(",")
    .map((each) => `redis://${new URL(each).host}`)
    .join(",");
}

/** The table of docs/operating.md. */
export function describeConfig(): Array<{ name: string; shown: string; meaning: string }> {
  return Object.entries(SETTINGS).map(([name, { shown, meaning }]) => ({ name, shown, meaning }));
}

function oneOf<const T extends string>(allowed: readonly T[]): (text: string) => T {
  return (text) => {
    const known = allowed.find((each) => each === text);
    if (known === undefined) throw new Fault(`must be one of ${allowed.join(", ")}`);
    return known;
  };
}

function splitList(text: string): string[] {
  return text
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "");
}

function isRange(range: string): boolean {
  const [address = "", bits, ...rest] = range.split("/");
  const version = isIP(address);
  if (version === 0 || rest.length > 0) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128));
}
