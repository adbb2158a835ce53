// The table of settings: environment variable, default, description and reader of each. Everything else follows from it.

import { GET_PET_DEPRECATED_MS_DEFAULT } from "../domain/basics/deprecation.ts";
import { DAY_MS, HOUR_MS, SECOND_MS } from "../domain/basics/durations.ts";
import { ENVIRONMENTS } from "../domain/keys/key-secret.ts";
import {
  oneOf,
  readAddressRanges,
  readAllowedTargets,
  readContact,
  readDatabase,
  readHost,
  readHttpUrl,
  readList,
  readOrigins,
  readProxy,
  readRedisUrl,
  readSwitch,
  readTime,
  secretOf,
  wholeNumber,
} from "./setting-readers.ts";

const CONNECTIONS_MAX = 9_999_999;
const TOKEN_LENGTH_MIN = 16;
/** Longer, because a receiver can try to guess it from its own secret, without asking the service. */
const WEBHOOK_KEY_LENGTH_MIN = 32;
const LOG_LEVELS = ["fatal", "error", "warn", "info", "debug", "trace", "silent"] as const;

export interface Setting {
  name: string;
  /** Read when the variable is unset or empty. Without a default, the value is then undefined. */
  default?: string;
  /** Shown in docs/operating.md when there is no default; "unset" if absent. */
  unset?: string;
  description: string;
  isSecret?: boolean;
  read(text: string): unknown;
}

export const SETTINGS = {
  host: {
    name: "HOST",
    default: "127.0.0.1",
    description: "The address to listen on; `0.0.0.0` for all. `localhost` means `127.0.0.1`.",
    read: readHost,
  },
  port: {
    name: "PORT",
    default: "8080",
    description: "The port to listen on; `0` chooses a free one.",
    read: wholeNumber(0, 65_535),
  },
  database: {
    name: "DATABASE_URL",
    default: "sqlite:data/animal-store.db",
    description:
      "The database: `sqlite:` and the path of a file, or `postgres://USER:PASSWORD@HOST:PORT/NAME`. Several servers, of which one takes writes: `HOST:PORT,HOST:PORT`.",
    read: readDatabase,
  },
  poolSize: {
    name: "DATABASE_POOL_SIZE",
    default: "10",
    description: "Connections of this node to PostgreSQL.",
    read: wholeNumber(1, 999),
  },
  redisUrl: {
    name: "REDIS_URL",
    description:
      "Redis or Valkey, required for more than one node: `redis://HOST:PORT`; several, separated by commas, are a cluster. With Sentinel: `redis+sentinel://USER:PASSWORD@HOST:PORT,HOST:PORT/NAME`. `rediss` and `rediss+sentinel` use TLS.",
    read: readRedisUrl,
  },
  redisSentinelPassword: {
    name: "REDIS_SENTINEL_PASSWORD",
    description: "The password of the Sentinels, if they have one; the password in `REDIS_URL` is for Redis.",
    isSecret: true,
    read: secretOf(1),
  },
  redisTimeoutMs: {
    name: "REDIS_TIMEOUT_MS",
    default: "100",
    description: "How long a request waits for Redis before the node limits without it.",
    read: wholeNumber(1, 9_999),
  },
  copyTarget: {
    name: "COPY_TARGET_URL",
    description:
      "Only for `copy`: the database to copy to, if `--to` is not given. Unlike an option, it is not in the process list.",
    read: readDatabase,
  },
  publicUrl: {
    name: "PUBLIC_URL",
    unset: "`http://HOST:PORT`",
    description: "The address that clients use, without `/v1`; links in responses begin with it.",
    read: readHttpUrl,
  },
  stagingUrl: {
    name: "STAGING_URL",
    description: "The address of a staging service, without `/v1`; listed in the OpenAPI document.",
    read: readHttpUrl,
  },
  contactUrl: {
    name: "CONTACT_URL",
    unset: "`PUBLIC_URL/docs`",
    description:
      "Where users of the API find help: an http or https address, or `mailto:` and an email address; in the OpenAPI document.",
    read: readContact,
  },
  environment: {
    name: "ENVIRONMENT",
    default: "production",
    description: "`production` or `staging`. Each rejects the keys of the other.",
    read: oneOf(ENVIRONMENTS),
  },
  adminApiKey: {
    name: "ADMIN_API_KEY",
    description: "An `admin` key of 16 or more visible ASCII characters. It is kept in memory only.",
    isSecret: true,
    read: secretOf(TOKEN_LENGTH_MIN),
  },
  metricsToken: {
    name: "METRICS_TOKEN",
    description:
      "A bearer token for `/metrics` only, of 16 or more visible ASCII characters. It is kept in memory only.",
    isSecret: true,
    read: secretOf(TOKEN_LENGTH_MIN),
  },
  trustProxy: {
    name: "TRUST_PROXY",
    default: "",
    description: "Proxies whose `X-Forwarded-For` is trusted: addresses or CIDR ranges, separated by commas.",
    read: readAddressRanges,
  },
  maxConnections: {
    name: "MAX_CONNECTIONS",
    default: "10000",
    description:
      "Open connections of this node. For a further one, the connection is closed that has been idle longest; if all have a request, the new one.",
    read: wholeNumber(1, CONNECTIONS_MAX),
  },
  maxConnectionsPerAddress: {
    name: "MAX_CONNECTIONS_PER_ADDRESS",
    default: "1024",
    description:
      "Open connections of one client address (IPv4, or IPv6 /64). Proxies in `TRUST_PROXY` have no such limit.",
    read: wholeNumber(1, CONNECTIONS_MAX),
  },
  corsOrigins: {
    name: "CORS_ORIGINS",
    unset: "any",
    description:
      "The origins whose pages may call the service, separated by commas. The origins of publishable keys may do so in any case.",
    read: readOrigins,
  },
  getPetDeprecatedMs: {
    name: "GET_PET_DEPRECATED_AT",
    default: new Date(GET_PET_DEPRECATED_MS_DEFAULT).toISOString(),
    description: "The time since which `getPet` is deprecated; sent in its `Deprecation` header.",
    read: readTime,
  },
  orderHoldMs: {
    name: "ORDER_HOLD_HOURS",
    default: "72",
    description:
      "How long a placed order reserves its animal. An order that is not approved by then expires.",
    read: wholeNumber(1, 9_999, HOUR_MS),
  },
  eventsKeptMs: {
    name: "EVENTS_KEEP_DAYS",
    default: "0",
    description:
      "How long events and the history of animals are kept; `0` keeps them forever. Clients with an older cursor get 410 and have to read the lists again.",
    read: wholeNumber(0, 9_999, DAY_MS),
  },
  webhookSecretKey: {
    name: "WEBHOOK_SECRET_KEY",
    unset: "SQLite: a file beside the store; PostgreSQL: no webhooks",
    description: `The key from which the secrets of all webhooks are derived: ${WEBHOOK_KEY_LENGTH_MIN} or more random visible ASCII characters, the same on every node. It is kept in memory only.`,
    isSecret: true,
    read: secretOf(WEBHOOK_KEY_LENGTH_MIN),
  },
  webhookAllowHttp: {
    name: "WEBHOOK_ALLOW_HTTP",
    default: "0",
    description: "`1` allows webhooks with `http:` URLs, whose events others on the network can read.",
    read: readSwitch,
  },
  webhookAllow: {
    name: "WEBHOOK_ALLOW",
    default: "",
    description:
      "Exceptions from the rule that webhooks go to public addresses only: addresses, CIDR ranges and host names, separated by commas.",
    read: readAllowedTargets,
  },
  httpsProxy: {
    name: "HTTPS_PROXY",
    description: "The proxy for webhooks with `https:` URLs: `http://USER:PASSWORD@HOST:PORT`.",
    read: readProxy,
  },
  httpProxy: {
    name: "HTTP_PROXY",
    description: "The proxy for webhooks with `http:` URLs.",
    read: readProxy,
  },
  noProxy: {
    name: "NO_PROXY",
    default: "",
    description:
      "Hosts that webhooks reach without a proxy: names (with their subdomains), addresses and CIDR ranges, separated by commas; `*` for all.",
    read: readList,
  },
  drainMs: {
    name: "DRAIN_SECONDS",
    default: "0",
    description:
      "How long a stopping service keeps serving while `/readyz` returns 503, so that load balancers can switch to other nodes.",
    read: wholeNumber(0, 99, SECOND_MS),
  },
  logLevel: {
    name: "LOG_LEVEL",
    default: "info",
    description: `One of ${LOG_LEVELS.map((level) => `\`${level}\``).join(", ")}.`,
    read: oneOf(LOG_LEVELS),
  },
  envFile: {
    name: "ENV_FILE",
    default: ".env",
    description: "A file with lines `NAME=value` for settings that the environment does not have.",
    read: (path) => path,
  },
} satisfies Record<string, Setting>;

/** The rows of the table in docs/operating.md. */
export function describeSettings(): Array<Record<"name" | "default" | "description", string>> {
  return Object.values<Setting>(SETTINGS).map(({ name, unset = "unset", description, ...setting }) => {
    return { name, default: setting.default ? `\`${setting.default}\`` : unset, description };
  });
}
